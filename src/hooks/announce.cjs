// Announces the exit status of a script of Node (hooks/announce.h).  It is loaded before the
// script, which notices nothing of it; a worker loads it, too.
'use strict';

const fs = require('fs');

const FD = 4;
const { fstatSync, readSync, writeSync } = fs;
const { reallyExit } = process;

const same = (a, b) => a.ino === b.ino && a.dev === b.dev;
const stat = () => {
  try {
    const s = fstatSync(FD);
    return s.isSocket() ? s : null;
  } catch (e) {
    return null;
  }
};
const isMain = () => {
  try {
    return require('worker_threads').isMainThread;
  } catch (e) {
    return false;
  }
};
const here = isMain() ? stat() : null;
let told = false;
let doubt = false;

// What is compiled may have printed into a buffer of C, which is written at the very end.
const isCompiled = (file) => file.endsWith('.node');

// What was said by now is in the pipes: writing to them does not wait for an event.
function tell(code) {
  const now = told || Object.keys(require.cache).some(isCompiled) ? null : stat();
  told = true;
  try {
    if (now && same(now, here)) {
      writeSync(FD, `exit ${code}\n`);
      readSync(FD, Buffer.alloc(1), 0, 1, null);
    }
  } catch (e) {
    // It is waited for.
  }
}

// Of its own accord Node ends with statuses of its own, and prints why afterwards.
const isOwn = (code) => code !== 0 && code !== 2;

// Libraries that replace one of these two go on after the last listener.
const areOurs = () => process.emit === emit && process.reallyExit === leave;

function leave(code) {
  tell((code | 0) & 255);
  return Reflect.apply(reallyExit, this, arguments);
}

function emit(name, code) {
  if (name === 'uncaughtExceptionMonitor') doubt = true;
  const done = Reflect.apply(Object.getPrototypeOf(process).emit, this, arguments);
  if (name === 'exit' && this === process && process._exiting === true && areOurs() && !doubt) {
    const last = process.exitCode == null ? code : process.exitCode;
    if (!isOwn(code) && !isOwn(last)) tell(last);
  }
  return done;
}

// Takes the words away from a list that has them.
function remove(list, ...words) {
  const at = list ? list.findIndex((word, i) => words.every((w, k) => list[i + k] === w)) : -1;
  if (at >= 0) list.splice(at, words.length);
}

remove(process.execArgv, '--require', __filename);
remove(process._preload_modules, __filename);
delete require.cache[__filename];
if (here) {
  Object.defineProperty(process, 'emit', { value: emit, writable: true, configurable: true });
  process.reallyExit = leave;
}
