#!/usr/bin/env node
import host from '../dist/host.js'
import program from '../dist/main.js'
process.exitCode = await program.main(host.nodeHost(process))
