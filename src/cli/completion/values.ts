/** The values of options and arguments, by name. Whatever is not here is free text, and nothing is offered for it. */
import type { Host } from '../../host.ts'
import { colors, formats, inputFormats, progresses } from '../../config/rules.ts'
import { httpMethods } from '../../values.ts'
import type { CommandLine } from '../argv.ts'
import { findCommand, type Tree } from '../tree.ts'

export type Candidate = readonly [value: string, description: string]

/** What a position takes: candidates, or a file, which the shell knows best. */
export type Values = readonly Candidate[] | 'files'

interface Wanted {
  readonly line: CommandLine
  /** `--receipts`, or `svc completion shell`. */
  readonly what: string
  /** The word in the help: `file`, `name`. */
  readonly placeholder: string
  /** What was typed of the value. */
  readonly word: string
  readonly host: Host
}

/** Options of a few words each. A test compares them with the options that there are. */
export const choices: Readonly<Record<string, readonly string[]>> = {
  '--output': formats,
  '--color': colors,
  '--progress': progresses,
  '--error-format': ['text', 'json'],
  '--input-format': inputFormats,
  '--kind': ['human', 'ai'],
  '--status': ['active', 'inactive'],
  '--order': ['newest', 'oldest'],
  '--limit': ['all'],
  '--method': httpMethods,
  '--port': ['4010', '0'],
  'svc completion shell': ['bash', 'zsh', 'fish', 'powershell'],
  'svc sign method': httpMethods,
}

const profileArguments = [
  'svc profiles show name',
  'svc profiles use name',
  'svc profiles remove name',
  'svc profiles rename old',
]
const runArguments = ['show', 'export', 'resume', 'retry'].map((verb) => `svc runs ${verb} run`)
const pathArguments = ['svc api path', 'svc sign path']
/** Words that stand for a file in the help. */
const filePlaceholders = new Set(['file', 'folder', 'path', 'f|-', 'path|-', 'file|-', 'input', 'inputs'])

export async function valuesOf(wanted: Wanted): Promise<Values> {
  const { what, placeholder, word } = wanted
  const known = Object.hasOwn(choices, what) ? choices[what] : undefined
  if (known !== undefined) return known.map((value) => [value, ''])
  if (what === '--profile' || profileArguments.includes(what)) return profileNames(wanted)
  if (runArguments.includes(what)) return runNames(wanted)
  if (what === '--outcome') return outcomeLists(word)
  if (what === 'svc help words') return helpWords(wanted.line)
  if (pathArguments.includes(what)) {
    const { operations } = await import('../../api/operations.ts')
    const paths = new Set(Object.values(operations).map(({ path }) => path.replaceAll(/\{\w+\}/g, '')))
    return [...paths].map((path) => [path.replace(/\/\/.*$/, '/'), ''])
  }
  if (what === 'svc sandbox exec command')
    return wanted.line.afterDashes ? 'files' : [['--', 'the command stands behind it']]
  return filePlaceholders.has(placeholder) ? 'files' : []
}

function option({ line }: Wanted, name: string): string | undefined {
  const value = line.given.get(name)
  return typeof value === 'string' ? value : undefined
}

/** From the configuration file that the line so far names. A broken one has no names to offer, and is no matter here. */
async function profileNames(wanted: Wanted): Promise<Values> {
  const config = option(wanted, 'config')
  try {
    const { readUserFile } = await import('../../config/load.ts')
    const file = await readUserFile(wanted.host, config === undefined ? {} : { config })
    return [...(file?.content.profiles ?? [])].map(([name, { baseUrl }]) => [name, new URL(baseUrl).host])
  } catch {
    return []
  }
}

/** Names of folders only; no journal is opened. Newest first. */
async function runNames(wanted: Wanted): Promise<Values> {
  const typed = option(wanted, 'stateDir')
  try {
    const [{ stateDir }, { isRunId }, { runsFolder }, { readdir }] = await Promise.all([
      import('../../config/paths.ts'),
      import('../../bulk/run.ts'),
      import('../../bulk/store.ts'),
      import('node:fs/promises'),
    ])
    const folder = stateDir(wanted.host, typed === undefined ? {} : { stateDir: typed }).value
    const names = (await readdir(runsFolder(folder))).filter(isRunId)
    return names
      .sort()
      .reverse()
      .map((name) => [name, ''])
  } catch {
    return []
  }
}

/** `error,unk` is completed by every outcome that is not there yet. */
async function outcomeLists(word: string): Promise<Values> {
  const { outcomes } = await import('../../bulk/claims.ts')
  const before = word.slice(0, word.lastIndexOf(',') + 1)
  const given = before.split(',')
  return outcomes.filter((outcome) => !given.includes(outcome)).map((outcome) => [`${before}${outcome}`, ''])
}

async function helpWords({ commands: [program], operands }: CommandLine): Promise<Values> {
  let at: Tree | undefined = program
  for (const word of operands) at = at === undefined ? undefined : findCommand(at, word)
  const names = (at?.commands ?? []).map(({ name, summary }) => [name, summary] as const)
  if (operands.length > 0) return names
  const { topics } = await import('../help/topics.ts')
  const pages = [['options', 'the global options'] as const, ['topics', 'all topics'] as const]
  return [...names, ...pages, ...topics.map(({ name, title }) => [name, title] as const)]
}
