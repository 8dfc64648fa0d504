/** Lines made of the pages: each option twice, empty, joined by `=`, behind `--`, beside a help. */
import type { Option } from 'commander'
import { expect, test } from 'vitest'
import { collect, globalOptions } from '../../src/cli/options.ts'
import { loadVerb, verbs } from '../../src/program/commands.ts'
import { createWorld, type Result } from '../support/svc.ts'

const { svc } = createWorld()
const id = '5f'.repeat(12)

/** Words of which each option takes one. */
const values = ['1', 'x', 'DE', '1s', '1d', 'csv', 'one', 'not-found', 'kept', 'blocked', id]

/** Verbs that get the options of all commands too: they are read alike beside each. */
const readers = new Set(['lists list', 'contacts delete', 'runs show'])

/** Verbs that would start a service or a program. */
const isStarter = (path: string) => path.startsWith('sandbox ')

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

/** Gives a line to svc. Nothing may be called a bug, or have another exit code. */
async function tell(words: readonly string[]): Promise<Result> {
  count += 1
  const result = await svc(words, { fast: true, env: { SVC_STATE_DIR: undefined } })
  expect(result.stderr, words.join(' ')).not.toContain('has a bug')
  const isUnknownRun = result.stderr.startsWith('error: there is no run')
  const codes = isUnknownRun ? [1] : [0, 2, 3, 4]
  expect(codes, `${words.join(' ')}: ${result.stderr}`).toContain(result.code)
  return result
}

test.each(Object.keys(verbs).filter((path) => !isStarter(path)))('svc %s', async (path) => {
  const { options = [], arguments: taken = [] } = await loadVerb(path)
  const command = path.split(' ')
  const required = taken.filter((argument) => argument.required)
  const given = [...command, ...required.map(({ argChoices }) => argChoices?.[0] ?? id)]
  const check = async (words: readonly string[], message: string, isRefused = true) => {
    const line = words.join(' ')
    expect([line, isMistake(await tell(words), message)]).toEqual([line, isRefused])
  }
  const [usage = ''] = (await tell([...command, '--help'])).stdout.split('\n')
  expect(usage).toContain(`Usage: svc ${path}`)
  const all = [...(readers.has(path) ? globalOptions : []), ...options] as readonly Option[]
  for (const option of all) {
    const { long = '', flags } = option
    const value = option.required ? [valueFor(option)] : []
    const help = await tell([...command, long, ...value, '--unknown-option', '--help'])
    expect([help.code, help.stdout.split('\n')[0]]).toEqual([0, usage])
    // Behind --, an option is a word.
    await check([...given, '--', long], 'unknown option', false)
    if (!option.required) {
      await tell([...given, long, long])
      await check([...given, `${long}=true`], `'${long}=…'`)
      continue
    }
    const twice = [...given, long, ...value, `${long}=${value.join()}`]
    await check(twice, `${long} is given twice`, option.parseArg !== collect)
    await check([...given, long], 'argument missing')
    // A description can be empty, and a string that is searched for can be a space.
    const refuse = flags.endsWith('<text>') ? tell : check
    for (const empty of [[long, ''], [`${long}=`], [long, ' ']])
      await refuse([...given, ...empty], '')
  }
  if (taken.length === 0) return
  for (const empty of ['', ' ']) await check([...command, ...taken.map(() => empty)], '')
})

test('these are hundreds of lines', () => {
  expect(count).toBeGreaterThan(500)
})
