/* trotline hook AGENT: the hook that is installed in other agents (C8.1, C8.2). */
#pragma once

/*
 * Reads the payload on stdin and answers in the words of the agent; ends the process.  argv[0] is
 * the agent, then come options and the event, for agents whose payload does not say it.
 */
_Noreturn void host_dispatch(int argc, char **argv);
