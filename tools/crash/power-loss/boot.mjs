/** The same machine after a power loss: for the program that runs in this process it has another boot id, and time passes. */
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'

let isRebooted = false
const { readFileSync } = fs
fs.readFileSync = (path, ...rest) => {
  if (isRebooted && path === '/proc/sys/kernel/random/boot_id') return '00000000-0000-4000-8000-000000000000\n'
  return readFileSync(path, ...rest)
}
syncBuiltinESMExports()

let later = 0
const { now } = Date
Date.now = () => now() + later

/** Program and service, which both run in this process, are so many milliseconds ahead of the real time. */
export function liveLater(ms) {
  later = ms
}

export async function afterReboot(work) {
  isRebooted = true
  try {
    return await work()
  } finally {
    isRebooted = false
  }
}
