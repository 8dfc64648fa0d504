/** The parts of a tool: its options, the root, and a folder that goes with it. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

export const root = fileURLToPath(new URL('../..', import.meta.url))
export const bin = join(root, 'bin/svc.js')

/** A wrong command line: one line on stderr, and exit code 2. */
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
 * Reads a command line: `defaults` has the options by name, as booleans for switches, numbers for
 * whole ones from 1, else strings.
 */
export function commandLine(defaults = {}, takesWords = false) {
  const options = Object.entries({ help: false, ...defaults }).map(([name, value]) =>
    typeof value === 'boolean' ? [name, { type: 'boolean' }] : [name, { type: 'string' }],
  )
  try {
    const { values, positionals } = parseArgs({
      options: Object.fromEntries(options),
      allowPositionals: takesWords,
    })
    if (values.help) help()
    const all = { ...defaults, ...values }
    for (const name of Object.keys(defaults).filter((each) => typeof defaults[each] === 'number')) {
      if (!/^[1-9]\d*$/.test(all[name]))
        refuse(`--${name} takes a whole number from 1, not "${all[name]}"`)
      all[name] = Number(all[name])
    }
    return { ...all, words: positionals }
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

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => process.exit(1))

/** A folder that is gone when the tool ends, however it ends. */
export function ownFolder(name) {
  const folder = mkdtempSync(join(tmpdir(), `svc-${name}-`))
  process.on('exit', () =>
    rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }),
  )
  return folder
}
