#!/usr/bin/env node
const { nodeHost } = require('../dist/host.js')
require('../dist/main.js')
  .main(nodeHost(process))
  .then((code) => (process.exitCode = code))
