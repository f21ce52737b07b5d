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

// An empty text is not sent.
function say(text) {
  const now = Object.keys(require.cache).some(isCompiled) ? null : stat();
  try {
    if (now && same(now, here)) {
      writeSync(FD, text);
      readSync(FD, Buffer.alloc(1), 0, text ? 1 : 0, null);
    }
  } catch (e) {
    // It is waited for.
  }
}

// What was said by now is in the pipes: writing to them does not wait for an event.
function tell(code) {
  if (!told) say(`exit ${code}\n`);
  told = true;
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

// What a function of Node costs at its first call (to be compiled above all) is most of what a small
// hook takes.  So what hooks do is done here once, ahead of the input, with streams that lead nowhere.
class Nowhere {
  close(done) {
    if (done) done();
  }
}
for (const name of ['readStart', 'readStop', 'writeUtf8String', 'ref', 'unref'])
  Nowhere.prototype[name] = () => 0;

async function readAll(stream) {
  for await (const part of stream) String(part);
}

function rehearse() {
  const { Socket } = require('net');
  const open = (readable) => {
    const options = { handle: new Nowhere(), readable, writable: !readable, manualStart: true };
    return new Socket(options).on('error', () => {});
  };
  const settle = () => process._tickCallback();
  const stderr = Object.getOwnPropertyDescriptor(process, 'stderr');
  const print = open(false);
  const readers = [
    (input) => input.on('data', String).on('end', () => {}),
    (input) => readAll(input).catch(() => {}),
  ];

  // Streams look at stderr, and the first look opens it, which is left to the script.
  Object.defineProperty(process, 'stderr', { value: print, configurable: true });
  try {
    new console.Console(print).log('');
    for (const read of readers) {
      const input = open(true);
      read(input);
      settle();
      input.push(Buffer.from('{}'));
      input.push(null);
      settle();
    }
    emit.call(print, 'rehearsed');
    print.destroy();
    settle();
  } finally {
    Object.defineProperty(process, 'stderr', stderr);
  }
  say('');
}

if (here) {
  Object.defineProperty(process, 'emit', { value: emit, writable: true, configurable: true });
  process.reallyExit = leave;
  // Either makes Node write of what is done here.
  if (!process.env.NODE_DEBUG && !process.env.NODE_PENDING_DEPRECATION) {
    try {
      rehearse();
    } catch (e) {
      // Then it is slower.
    }
  }
}
