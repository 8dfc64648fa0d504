#!/usr/bin/env node
const { nodeHost } = require('../dist/host.js')
// A defect until main has said how it ended: a promise that never settles must not look like success.
process.exitCode = 1
require('../dist/main.js')
  .main(nodeHost(process))
  .then((code) => (process.exitCode = code))
