#!/usr/bin/env node
/** Starts svc from its build. Until main has said how it ended the exit code is 1: a promise that never settles is no success. */
process.exitCode = 1

/** `self`: how an executable starts this program again. `build`: the folder of the pieces, where they are files whose compiled code can be kept. */
async function start(pieces, self, build) {
  const host = pieces('host.js').nodeHost(process, self, build)
  process.exitCode = await pieces('main.js').main(host)
}

if (require.main === module)
  void start(require('../dist/main.js'), undefined, `${__dirname}/../dist`)
module.exports = { start }
