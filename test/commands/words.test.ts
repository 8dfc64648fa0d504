/** Words that begin with a dash: free text takes them, everything else asks what is meant. */
import { describe, expect, test } from 'vitest'
import type { ContactList } from '../../src/api/schemas.ts'
import { createSandboxWorld } from '../svc.ts'

const { svc, sandbox } = await createSandboxWorld()
const ids = '0123456789abcdef01234567 1123456789abcdef01234567'.split(' ') as [string, string]

const dashed = [
  '-Sale',
  '-vacation',
  '-quick',
  '-offer',
  '-pSale',
  '-yes-sale',
  '-V',
  '--Sale',
  '--limit=5',
  '-5%',
  '- 5',
  '—',
  '-🎈',
]

describe('free text', () => {
  test.each(dashed)('--name and --description take %s', async (word) => {
    const words = ['lists', 'create', '--description', word, '--name', word, '--json']
    const { code, stdout, stderr } = await svc(words)
    expect([code, stderr]).toEqual([0, ''])
    expect(JSON.parse(stdout)).toMatchObject({ name: word, description: word })
    const { id } = JSON.parse(stdout) as ContactList
    const updated = await svc(['-o', 'ndjson', 'lists', 'update', id, '--description', `${word}!`, '-q'])
    expect(JSON.parse(updated.stdout)).toMatchObject({ name: word, description: `${word}!` })
  })

  test.each(dashed)('--search, -f, --query and --body take %s', async (word) => {
    await svc(['lists', 'list', '--search', word, '-o', 'ids'])
    expect(new URLSearchParams(sandbox.requests.at(-1)?.url.split('?')[1]).get('search')).toBe(word)
    await svc(['api', '/v1/lists', '--query', `${word}=1`])
    expect(new URLSearchParams(sandbox.requests.at(-1)?.url.split('?')[1]).get(word.split('=')[0] ?? '')).toMatch(/1$/)
    await svc(['api', '/v1/lists', '-f', `${word}=x`])
    expect(Object.keys(JSON.parse(sandbox.requests.at(-1)?.body ?? '') as object)).toEqual([word.split('=')[0]])
    const signed = await svc(['sign', '--timestamp', '1767225600000', '--body', word, '--json', '-q'])
    expect((JSON.parse(signed.stdout) as { signedText: string }).signedText).toBe(`1767225600000.${word}`)
  })

  test.each(['--yes', '-y', '-q', '-vv', '--utc', '-o', '--dry-run', '--description', '--help', '--'])(
    'is not %s, which is an option, unless it is written with =',
    async (word) => {
      const before = sandbox.requests.length
      const { code, stdout, stderr } = await svc(['lists', 'create', '--name', word, '--description', 'x'])
      expect([code, stdout, sandbox.requests.length - before]).toEqual([2, '', 0])
      expect(stderr).toBe(
        `error: --name needs a value, and "${word}" is an option\n  to use it as the value, write --name=${word}\n`,
      )
      const made = await svc(['lists', 'create', `--name=${word}`, '--json'])
      expect(JSON.parse(made.stdout)).toMatchObject({ name: word })
    },
  )
})

describe('every other option', () => {
  test.each([
    [
      'lists list --limit -1',
      '--limit needs a value, and "-1" begins with a dash\n  to use it as the value, write --limit=-1',
    ],
    [
      'lists list --fields -x',
      '--fields needs a value, and "-x" begins with a dash\n  to use it as the value, write --fields=-x',
    ],
    [
      'lists list -o -json',
      '--output needs a value, and "-json" begins with a dash\n  to use it as the value, write --output=-json',
    ],
    [
      'lists list -p --utc',
      '--profile needs a value, and "--utc" is an option\n  to use it as the value, write --profile=--utc',
    ],
    [
      `contacts delete ${ids[0]} --receipts -x`,
      '--receipts needs a value, and "-x" begins with a dash\n  to use it as the value, write --receipts=-x; a file of that name is ./-x',
    ],
    [
      'contacts delete --file --yes',
      '--file needs a value, and "--yes" is an option\n  to use it as the value, write --file=--yes; a file of that name is ./--yes',
    ],
    [
      `tickets assign ${ids[0]} --to "-Robin Berg"`,
      `--to needs a value, and "-Robin Berg" begins with a dash\n  to use it as the value, write --to='-Robin Berg'`,
    ],
    [
      'lists create --name x --description-file -d',
      '--description-file needs a value, and "-d" begins with a dash\n  to use it as the value, write --description-file=-d; a file of that name is ./-d',
    ],
  ])('%s is exit 2, and nothing is sent', async (line, message) => {
    const before = sandbox.requests.length
    expect(await svc(line)).toEqual({ code: 2, stdout: '', stderr: `error: ${message}\n` })
    expect(sandbox.requests.length).toBe(before)
  })

  test('a dash alone is standard input', async () => {
    const made = await svc('lists create --name Piped --description-file - --json', { stdin: 'from a pipe\n' })
    expect(JSON.parse(made.stdout)).toMatchObject({ description: 'from a pipe' })
  })
})

test('a list whose name begins with a dash is reached by name: or behind --', async () => {
  const made = await svc('lists create --name -Only -o ids')
  const refused = await svc('lists get -Only')
  expect(refused.code).toBe(2)
  expect(refused.stderr).toContain('name:-Only, or after --')
  for (const line of ['lists get name:-Only -o ids', 'lists get -o ids -- -Only'])
    expect(await svc(line)).toEqual({ code: 0, stdout: made.stdout, stderr: '' })
})
