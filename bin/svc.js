#!/usr/bin/env node
import { createRequire } from 'node:module'
const require = createRequire(import.meta.url)
process.exitCode = await require('../dist/main.js').main(require('../dist/host.js').nodeHost(process))
