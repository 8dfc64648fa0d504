#!/usr/bin/env node
/** Starts svc from its build. */
const { existsSync, writeSync } = require('node:fs')
const { enableCompileCache } = require('node:module')
const { join } = require('node:path')

/** `self`: how an executable starts this program again; a script has its code in files, whose compiled form Node can keep. */
async function start({ main, nodeHost, loadPaths }, self) {
  process.exitCode = 1
  process.on('exit', reportSilence)
  const host = nodeHost(process, self)
  const cacheCode = async () => {
    if (self !== undefined || enableCompileCache === undefined) return
    const { makeCodeFolder } = await loadPaths()
    const folder = await makeCodeFolder(host)
    if (folder !== undefined) enableCompileCache(folder)
  }
  process.exitCode = await main(host, cacheCode)
  process.off('exit', reportSilence)
}

/** A promise that never settles lets Node end the process without a word. */
function reportSilence() {
  process.exitCode = 1
  const { version } = require('../package.json')
  const lines = [
    `error: a defect in svc ${version}: the command ended without an answer`,
    'check what it changed before you run it again, and report it with the command that you typed',
  ]
  try {
    writeSync(2, `${lines.join('\n')}\n`)
  } catch {
    // Nobody reads stderr anymore; the exit code still says it.
  }
}

/** A fresh clone has no build: then the raw error of Node would say nothing to a person. */
function startBuild() {
  const build = join(__dirname, '../dist/main.js')
  if (existsSync(build)) return void start(require(build))
  process.exitCode = 2
  writeSync(2, 'error: svc is not built yet; in its folder, run this first:\n  npm ci\n')
}

if (require.main === module) startBuild()
module.exports = { start }
