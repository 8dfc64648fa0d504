#!/usr/bin/env node
/** Starts svc from its build. Until main has said how it ended the exit code is 1: a promise that never settles is no success. */
process.exitCode = 1

/** `self`: how an executable starts this program again. */
async function start(pieces, self) {
  process.exitCode = await pieces('main.js').main(pieces('host.js').nodeHost(process, self))
}

if (require.main === module) void start(require('../dist/main.js'))
module.exports = { start }
