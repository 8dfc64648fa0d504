/**
 * Command lines made of the pages: each option of each verb twice, empty, joined by `=`, behind
 * `--` and beside an unknown one with `--help`. Without credentials, none gets further than exit 4,
 * and none shows a defect of svc.
 */
import type { Option } from 'commander'
import { expect, test } from 'vitest'
import { collect, globalOptions } from '../../src/cli/options.ts'
import { loadVerb, verbs } from '../../src/program/commands.ts'
import { createWorld, type Result } from '../support/svc.ts'

const { svc } = createWorld()
const id = '5f'.repeat(12)

/** Words of which each option takes one. */
const values = ['1', 'x', 'DE', '1s', '1d', 'csv', 'one', 'not-found', 'kept', 'blocked', id]

/** Verbs that would start a service or a program. */
const isStarter = (path: string) => path.startsWith('sandbox ')

/** A value that an option takes. */
function valueFor(option: Option): string {
  if (option.argChoices !== undefined) return option.argChoices[0] ?? ''
  for (const value of ['http://127.0.0.1', ...values]) {
    try {
      option.parseArg?.(value, undefined as never)
      if (option.long !== '--url' || value.startsWith('http')) return value
    } catch {
      // Another one.
    }
  }
  throw new Error(`no value for ${option.flags}`)
}

/** Whether a line was a mistake: one error with these words, and no output. */
const isMistake = ({ code, stdout, stderr }: Result, words: string) =>
  code === 2 && stdout === '' && stderr.startsWith('error: ') && stderr.includes(words)

let count = 0

/**
 * Gives a line to svc. Nothing may be called a defect, and no code be another than those of a line.
 */
async function tell(words: readonly string[]): Promise<Result> {
  count += 1
  const result = await svc(words, { fast: true, env: { SVC_STATE_DIR: undefined } })
  expect(result.stderr, words.join(' ')).not.toContain('defect')
  const isUnknownRun = result.stderr.startsWith('error: there is no run')
  const codes = isUnknownRun ? [1] : [0, 2, 3, 4]
  expect(codes, `${words.join(' ')}: ${result.stderr}`).toContain(result.code)
  return result
}

const isRepeatable = (option: Option) => !option.required || option.parseArg === collect

test.each(Object.keys(verbs).filter((path) => !isStarter(path)))('svc %s', async (path) => {
  const { options = [], arguments: all = [] } = await loadVerb(path)
  const command = path.split(' ')
  const given = all
    .filter(({ required }) => required)
    .map(({ argChoices }) => argChoices?.[0] ?? id)
  /** Lines that must be refused, and whether they are. */
  const refusals: [line: string, isRefused: boolean][] = []
  for (const option of [...globalOptions, ...options] as readonly Option[]) {
    const { long = '', flags } = option
    const label = `svc ${path} ${long}`
    // The last of these is unknown, and is named although a help is asked for.
    const value = !option.required ? [] : [valueFor(option)]
    const unknown = await tell([...command, long, ...value, '--help', '--unknown-option'])
    expect([label, isMistake(unknown, '--unknown-option')]).toEqual([label, true])
    // Behind --, an option is a word.
    const word = await tell([...command, ...given, '--', long])
    expect([label, word.stderr.includes('unknown option')]).toEqual([label, false])
    if (!option.required) {
      await tell([...command, ...given, long, long])
      const joined = await tell([...command, ...given, `${long}=true`])
      refusals.push([`${label}=true`, isMistake(joined, 'unknown option')])
      continue
    }
    const twice = await tell([...command, ...given, long, ...value, `${long}=${value.join()}`])
    expect([label, isMistake(twice, `${long} is given twice`)]).toEqual([
      label,
      !isRepeatable(option),
    ])
    for (const empty of [[long, ''], [`${long}=`], [long, ' ']]) {
      const result = await tell([...command, ...given, ...empty])
      // A description can be empty, and a text that is searched for can be a space.
      refusals.push([`${label} ''`, flags.endsWith('<text>') || result.code === 2])
    }
    const last = await tell([...command, ...given, long])
    expect([label, isMistake(last, 'argument missing')]).toEqual([label, true])
  }
  for (const empty of ['', ' ']) {
    const words = all.map(() => empty)
    const result = await tell([...command, ...words])
    refusals.push([words.join(), words.length === 0 || isMistake(result, '')])
  }
  expect(refusals.filter(([, isRefused]) => !isRefused)).toEqual([])
})

test('these are about a thousand lines and more', () => {
  expect(count).toBeGreaterThan(1000)
})
