/**
 * Failures with `--json`: nothing or one complete document on stdout, and the error as a JSON line on stderr, of each verb when nobody
 * listens; of mistakes in each line in test/canary/typed.test.ts. What succeeds is in examples.test.ts.
 */
import { describe, expect, test } from 'vitest'
import type { Option } from '../../src/cli/options.ts'
import { formats } from '../../src/output/result.ts'
import { createSandboxWorld } from '../svc.ts'
import { verbs } from '../tree.ts'
import { isPlain, placeFor, withoutFormat } from './place.ts'

const world = await createSandboxWorld()
const { svc } = world
const members = [
  'category',
  'exitCode',
  'httpStatus',
  'code',
  'message',
  'hint',
  'request',
  'profile',
  'run',
]

/** An error line. */
function fromError(line: Record<string, unknown> | undefined) {
  const error = (line?.['type'] === 'error' ? line['error'] : {}) as Record<string, unknown>
  return {
    exitCode: error['exitCode'],
    members: Object.keys(error).filter((name) => name !== 'cursor'),
  }
}

/**
 * A bulk run's summary, or the checks of doctor: the document itself carries the code; `ids check` has the count, and a contact that is
 * on no list is not among the rows.
 */
function fromDocument(line: string, written: unknown) {
  // Each of several checks has its own.
  const document = (Array.isArray(written) ? written[0] : written) as Record<string, unknown>
  return {
    exitCode: line.startsWith('ids check') && document['invalid'] === 1 ? 2 : document['exitCode'],
    members,
  }
}

/** The failure of a line as printed and as expected; undefined when it did not fail. */
async function failureOf(line: string, run: (line: string) => ReturnType<typeof svc>) {
  const { code, stdout, stderr } = await run(`${line} --json`)
  if (code <= 1) return { told: { line, code, stderr }, wanted: undefined }
  const lines = stderr
    .split('\n')
    .filter((each) => each !== '')
    .map((each) => JSON.parse(each) as Record<string, unknown>)
  // A read that failed leaves its document open.
  const isWhole = /[\]}]\n$/.test(stdout)
  const told = isWhole ? fromDocument(line, JSON.parse(stdout)) : fromError(lines.at(-1))
  return { told, wanted: { exitCode: code, members } }
}

describe('nobody listens: each verb says so, or does without', () => {
  const lines = verbs.flatMap(({ examples }) => examples.filter(isPlain).slice(0, 1))
  test.each(lines.map(withoutFormat))('%s', async (line) => {
    const here = await placeFor(line, world, false)
    try {
      const env = { SVC_BASE_URL: 'http://127.0.0.1:1', SVC_RETRIES: '0' }
      const { told, wanted } = await failureOf(line, (words) => here.svc(words, env))
      expect(wanted === undefined ? told : { told }).toEqual(
        wanted === undefined ? { ...told, code: 0 } : { told: wanted },
      )
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
