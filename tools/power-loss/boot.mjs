/** The same machine after a power loss: for the program that runs in this process it has another boot id. */
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'

let isRebooted = false
const { readFileSync } = fs
fs.readFileSync = (path, ...rest) => {
  if (isRebooted && path === '/proc/sys/kernel/random/boot_id') return '00000000-0000-4000-8000-000000000000\n'
  return readFileSync(path, ...rest)
}
syncBuiltinESMExports()

export async function afterReboot(work) {
  isRebooted = true
  try {
    return await work()
  } finally {
    isRebooted = false
  }
}
