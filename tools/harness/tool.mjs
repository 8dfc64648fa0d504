/** The parts of a tool: its options, the root of the repository, and a folder that is removed with it. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

export const root = fileURLToPath(new URL('../..', import.meta.url))
export const bin = join(root, 'bin/svc.js')

/** A wrong command line: one line on stderr, and exit 2. */
export function refuse(message) {
  writeSync(2, `${basename(process.argv[1])}: ${message}\n`)
  process.exit(2)
}

/** `--help`: what the first comment of the tool says. */
function help() {
  const [, comment] = /^\/\*\*([^]*?)\*\//.exec(readFileSync(process.argv[1], 'utf8'))
  writeSync(1, `${comment.replaceAll(/^ \* ?/gm, '').trim()}\n`)
  process.exit(0)
}

/**
 * Reads the command line of a tool. `defaults`: its options by name with their defaults: true or false for a switch, an array for one
 * that may be given several times, a number for a whole one from 1, else a text. `takesWords`: whether it takes words beside them.
 */
export function commandLine(defaults = {}, takesWords = false) {
  const options = Object.entries({ help: false, ...defaults }).map(([name, value]) => {
    const type = typeof value === 'boolean' ? 'boolean' : 'string'
    const given =
      value === undefined ? {} : { default: typeof value === 'number' ? String(value) : value }
    return [name, { type, multiple: Array.isArray(value), ...given }]
  })
  try {
    const { values, positionals } = parseArgs({
      options: Object.fromEntries(options),
      allowPositionals: takesWords,
      allowNegative: true,
    })
    if (values.help) help()
    const numbers = Object.keys(defaults).filter((name) => typeof defaults[name] === 'number')
    for (const name of numbers) values[name] = wholeNumber(name, values[name], 1)
    return { ...values, words: positionals }
  } catch (error) {
    return refuse(error.message.split('\n')[0])
  }
}

/** Whether a program can be started here. */
export const isThere = (program) =>
  spawnSync(program, ['--version'], { stdio: 'ignore' }).error === undefined

/** The output of a program. Throws with all of it when the program does not end with 0. */
export function run(program, words, options) {
  const all = { encoding: 'utf8', maxBuffer: 2 ** 31, ...options }
  const { status, signal, stdout, stderr, error } = spawnSync(program, words, all)
  if (status === 0) return stdout
  throw new Error(
    `${program} ${words.join(' ')}: ${error?.message ?? `${status ?? signal} ${stdout}${stderr}`}`,
  )
}

/** A whole number of an option. */
export function wholeNumber(name, text, least = 0) {
  const number = Number(text)
  if (!/^\d+$/.test(text) || number < least)
    refuse(`--${name} takes a whole number from ${least}, not "${text}"`)
  return number
}

/** Those that were asked for, all of them known; `what` they are. */
export function oneOf(what, asked, known) {
  const stranger = asked.find((one) => !known.includes(one))
  if (stranger !== undefined) refuse(`no ${what} "${stranger}"; there are: ${known.join(', ')}`)
  return asked
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => process.exit(1))

/** By path, whether it is kept. */
const folders = new Map()
process.on('exit', () => {
  for (const [folder, isKept] of folders)
    if (!isKept()) rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
})

/** A folder that is gone when the tool ends, however it ends, unless it is kept to look at. */
export function ownFolder(name, isKept = () => false) {
  const folder = mkdtempSync(join(tmpdir(), `svc-${name}-`))
  folders.set(folder, isKept)
  return folder
}
