#!/usr/bin/env node
/** Starts svc from its build. Until main has said how it ended the exit code is 1: a promise that never settles is no success. */
process.exitCode = 1
function start() {
  const pieces = require('../dist/main.js')
  const { main } = pieces['main.js']
  const { nodeHost } = pieces['host.js']
  return main(nodeHost(process))
}
void start().then((code) => (process.exitCode = code))
