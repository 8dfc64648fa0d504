/** `svc lists create`: the lists that are read first, and an answer that is lost. */
import { describe, expect, test } from 'vitest'
import { createSandboxWorld, type Options } from '../svc.ts'

const { svc, sandbox } = await createSandboxWorld()

interface ErrorLine {
  readonly type: string
  readonly message?: string
  readonly error?: { readonly hint: string; readonly request: { readonly method: string } }
}

const linesOf = (stderr: string): ErrorLine[] =>
  JSON.parse(`[${stderr.trimEnd().replaceAll('\n', ',')}]`) as ErrorLine[]

/** The command's result and the requests it made. */
async function create(line: string, faults: string, options: Options = {}) {
  const before = sandbox.requests.length
  sandbox.setFaults(faults)
  const result = await svc(
    `lists create ${line} ${line.includes('--if-not') ? '' : '--allow-duplicate-name'} --json --error-format json`,
    {
      fast: true,
      ...options,
    },
  )
  sandbox.setFaults()
  const requests = sandbox.requests.slice(before).map(({ method, url }) => `${method} ${url}`)
  return { ...result, requests, said: linesOf(result.stderr) }
}

test.each(['drop-before', 'drop-after-apply'])(
  'a lost answer (%s) is exit 7 with the command that looks for the list, and is never sent again',
  async (fault) => {
    const { code, stdout, said, requests } = await create(
      `--name "Lost ${fault}"`,
      `lists.create=${fault}`,
    )
    expect([code, stdout]).toEqual([7, ''])
    expect(requests.filter((request) => request.startsWith('POST'))).toHaveLength(1)
    expect(requests.at(-1)).toBe('POST /v1/lists')
    expect(said[0]?.error?.hint).toMatch(
      new RegExp(
        `^the request may still arrive within 11 minutes, until 2\\d{3}-\\S+Z; look for the list before you try again:\\n  svc lists list --search 'Lost ${fault}'$`,
      ),
    )
  },
)

describe('the lists that are read first', () => {
  test.each(['400', '403,code=40351'])(
    'refused with %s: a note, and the list is created',
    async (status) => {
      const { code, said } = await create(`--name "Blind ${status}"`, `lists.list=${status}`)
      expect([code, said.length]).toEqual([0, 1])
      expect(said[0]?.message).toMatch(
        /^the lists could not be read first \(.+\); creating the list anyway/,
      )
    },
  )

  test.each(['500', '429', 'wrong-shape', '401'])(
    'the first read fails with %s: nothing is sent',
    async (fault) => {
      const { code, said, requests } = await create('--name Never', `lists.list=${fault}`)
      expect(code).toBe(fault === '401' ? 4 : 7)
      expect(requests.filter((request) => request.startsWith('POST'))).toEqual([])
      const hint = fault === '401' ? /./ : /^nothing was created, because svc reads the lists/
      expect(said.at(-1)?.error?.hint).toMatch(hint)
    },
  )

  test('--if-not-exists reads all of them once, and creates a list once', async () => {
    const pages = Math.ceil([...sandbox.store.allLists()].length / 100)
    const first = await create('--name Once --if-not-exists', '')
    expect([first.code, first.requests.indexOf('POST /v1/lists')]).toEqual([0, pages])
    const again = await create('--name Once --if-not-exists', '')
    expect([again.code, again.requests.includes('POST /v1/lists')]).toEqual([0, false])
  })
})
