/**
 * Loaded before svc: says in the file KEPT_CODE which code of requests was run. The folders above HOME count as closed to others, for
 * that of temporary files is open to everybody. With KEPT_CODE_FULL nothing can be opened for writing in the folder for code.
 */
const fs = require('node:fs')
const vm = require('node:vm')

let uses = 'nothing'
class Script extends vm.Script {
  constructor(text, options) {
    super(text, options)
    if (options.cachedData === undefined) uses = uses === 'refused code' ? uses : 'new code'
    else uses = this.cachedDataRejected ? 'refused code' : 'kept code'
  }
}
vm.Script = Script

const { HOME: home, KEPT_CODE: report, KEPT_CODE_FULL: isFull } = process.env
const { lstatSync, openSync, writeFileSync } = fs
fs.lstatSync = (path, options) => {
  const stats = lstatSync(path, options)
  if (stats !== undefined && home && !String(path).startsWith(home)) stats.mode &= ~0o022
  return stats
}
fs.openSync = (path, ...more) => {
  if (isFull && String(path).includes('/svc/code/'))
    throw Object.assign(new Error('full'), { code: 'ENOSPC' })
  return openSync(path, ...more)
}
process.on('exit', () => writeFileSync(report, uses))
