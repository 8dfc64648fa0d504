/**
 * Failures with `--json`: nothing or one complete document on stdout, and the error as a JSON line on stderr, of each verb when nobody
 * listens; of mistakes in each line in test/canary/typed.test.ts. What succeeds is in examples.test.ts.
 */
import { describe, expect, test } from 'vitest'
import { formats } from '../../src/output/format.ts'
import { createSandboxWorld } from '../svc.ts'
import { verbs } from '../tree.ts'
import { isPlain, placeFor, withoutFormat } from './place.ts'
import type { Option } from '../../src/options.ts'

const world = await createSandboxWorld()
const { svc } = world
const members = 'category exitCode httpStatus code message hint request profile run'.split(' ')

/** The exit code of a failure in JSON: that of a whole document (a bulk run, doctor), or else of an error line with all members. */
function exitCodeOf(stdout: string, stderr: string): unknown {
  // A read that failed leaves its document open.
  if (/[\]}]\n$/.test(stdout))
    // Each of several checks has its own.
    return ([JSON.parse(stdout)].flat() as { exitCode: number }[])[0]?.exitCode
  const { error } = JSON.parse(stderr.trimEnd().split('\n').at(-1) ?? '') as {
    error: Record<string, unknown>
  }
  expect(Object.keys(error).filter((name) => name !== 'cursor')).toEqual(members)
  return error['exitCode']
}

describe('nobody listens: each verb says so, or does without', () => {
  const lines = verbs.flatMap(({ examples }) => examples.filter(isPlain).slice(0, 1))
  test.each(lines.map(withoutFormat))('%s', async (line) => {
    const here = await placeFor(line, world, false)
    try {
      const env = { SVC_BASE_URL: 'http://127.0.0.1:1', SVC_RETRIES: '0' }
      const { code, stdout, stderr } = await here.svc(`${line} --json --error-format json`, env)
      expect(code === 0 ? 0 : exitCodeOf(stdout, stderr)).toBe(code)
    } finally {
      await here.close()
    }
  })
})

// `svc help --json`: what it says is what the commands take.
const json = (text: string): unknown => JSON.parse(text)

interface Help {
  readonly command: string
  readonly options: readonly (Option & { readonly name: string })[]
  readonly examples?: readonly string[]
  readonly commands: readonly Help[]
}

function all(help: Help): Help[] {
  return [help, ...help.commands.flatMap(all)]
}

const help = json((await svc('help --json')).stdout) as Help & { readonly schema: string }
const commands = all(help)

describe('svc help --json', () => {
  test('is every command, with what its options take', () => {
    expect(help.schema).toBe('svc.help/2')
    const options = commands.flatMap((each) => each.options)
    const output = options.find(({ name }) => name === '--output')
    expect(output).toMatchObject({ choices: [...formats], environment: ['SVC_OUTPUT'] })
    for (const { name, summary, choices = [] } of options)
      for (const value of choices) expect(summary, name).toContain(value)
    expect(options.find(({ name }) => name === '--file')?.isRepeatable).toBe(true)
    const deletion = commands.find(({ command }) => command === 'svc contacts delete')
    expect(deletion).toMatchObject({ effect: 'contacts.delete', arguments: [{ name: 'id' }] })
  })

  test('of one command, and of nothing else', async () => {
    const { stdout } = await svc('help lists list --json')
    expect(json(stdout)).toMatchObject({ command: 'svc lists list', commands: [] })
    for (const words of [
      'help nothing --json',
      'help bulk --json',
      'help lists nothing --json',
      'help -o csv',
    ]) {
      const { code, stdout: none } = await svc(words)
      expect([words, code, none]).toEqual([words, 2, ''])
    }
  })
})
