#!/usr/bin/env node
/** Starts svc from its build. Until main has said how it ended the exit code is 1: a promise that never settles is no success. */
process.exitCode = 1

/** `self`: how an executable starts this program again. `loadPieces`: loads what a request needs, where its code may be kept. */
async function start(pieces, self, loadPieces) {
  const host = pieces('host.js').nodeHost(process, self, loadPieces)
  process.exitCode = await pieces('main.js').main(host)
}

/** Whether this Node keeps compiled code. */
const canKeep = Number.parseInt(process.versions.node, 10) >= 22

/** Nothing of them is run yet. */
function loadPieces() {
  const names = ['engine', 'mistakes', 'verbs', 'profile', 'api', 'network']
  for (const name of names) require(`../dist/${name}.js`)
}

if (require.main === module)
  void start(require('../dist/main.js'), undefined, canKeep ? loadPieces : undefined)
module.exports = { start }
