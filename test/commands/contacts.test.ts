/** `svc contacts …` against the sandbox over real HTTP. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { MergeResult } from '../../src/api/schemas.ts'
import { createSandboxWorld, errorOf, typing } from '../svc.ts'

const { svc, sandbox, as, folder, requestsOf } = await createSandboxWorld()
const { contactsWithoutChats, contactsWithChats } = sandbox.examples
const unknownId = '0123456789abcdef01234567'
const json = (text: string): unknown => JSON.parse(text)
const host = new URL(sandbox.baseUrl).host
let used = 0
/** Contacts without chats that no test has touched. */
const fresh = (count: number): string[] => contactsWithoutChats.slice(used, (used += count))
const pair = (): [string, string] => {
  const [source = '', target = ''] = fresh(2)
  return [source, target]
}

describe('contacts merge', () => {
  test('the source goes into the target, as key and value', async () => {
    const [source, target] = pair()
    const { result, requests } = await requestsOf(`contacts merge ${source} --into ${target} --yes`)
    expect([result.code, result.stderr]).toEqual([0, ''])
    expect(result.stdout).toMatch(new RegExp(`^MERGED +${source}\\nCONTACT +${target}\\nNAME `))
    expect(requests.map(({ method, url, body }) => [method, url, body])).toEqual([
      ['POST', `/v1/contacts/${source}/merge`, `{"targetContactId":"${target}"}`],
    ])
    expect([sandbox.store.hasContact(source), sandbox.store.hasContact(target)]).toEqual([false, true])
  })

  test('json is the operation’s result', async () => {
    const [source, target] = pair()
    const { stdout } = await svc(`contacts merge ${source} --into ${target} --yes --json`)
    const result = json(stdout) as MergeResult
    expect(Object.keys(result)).toEqual(['mergedContactId', 'contact'])
    expect(result).toMatchObject({ mergedContactId: source, contact: { id: target } })
    expect(Object.keys(result.contact.identities ?? {})).toHaveLength(15)
  })

  test('asks first, with No as the answer to nothing', async () => {
    const [source, target] = pair()
    const line = `contacts merge ${source} --into ${target}`
    for (const answer of ['', 'n', 'no']) {
      const terminal = typing(answer)
      const { result, requests } = await requestsOf(line, { terminal: terminal.terminal })
      expect(result).toEqual({ code: 9, stdout: '', stderr: 'error: declined; nothing was sent\n' })
      expect(requests).toEqual([])
      // The terminal is 80 cells wide.
      expect(terminal.shown().replaceAll(/\r?\n\s*/g, ' ')).toContain(
        `Merge the contact ${source} into ${target} on ${host} (key …x_rw)? This cannot be undone. (y/N)`,
      )
    }
    expect(await svc(line)).toMatchObject({
      code: 9,
      stdout: '',
      stderr: expect.stringMatching(/--yes answers yes\n$/) as string,
    })
    expect((await svc(`${line} --no-input`, { terminal: typing('y').terminal })).code).toBe(9)
    expect((await svc(line, { terminal: typing('y').terminal })).code).toBe(0)
  })

  test('--dry-run needs no profile, asks nothing and sends nothing', async () => {
    const [source, target] = pair()
    const { result, requests } = await requestsOf(`contacts merge ${source} --into ${target} --dry-run --json`, {
      env: { SVC_BASE_URL: undefined, SVC_API_KEY: undefined, SVC_API_SECRET: undefined },
    })
    expect(result.code).toBe(0)
    expect(json(result.stdout)).toEqual({
      dryRun: true,
      operation: 'contacts.merge',
      sourceContactId: source,
      body: { targetContactId: target },
    })
    expect(requests).toEqual([])
  })

  test.each([
    ['', /^name the contact to merge/],
    [unknownId, /^name the contact to merge/],
    [`--into ${unknownId}`, /^name the contact to merge/],
    [`../employees --into ${unknownId}`, /^the source must be 24 hexadecimal digits/],
    [`${unknownId} --into a?x=1`, /^--into must be 24 hexadecimal digits/],
    [`${unknownId} --into ..%2f..`, /^--into must be 24 hexadecimal digits/],
    [`${unknownId} --into ${unknownId.toUpperCase()}`, /^a contact cannot be merged into itself$/],
    [`${unknownId} --into ${unknownId} --file pairs.csv`, /^--file cannot be used with a source or --into$/],
    [`${unknownId} --into ${unknownId.replace('0', 'f')} --receipts out.csv`, /^--receipts goes with --file only$/],
    [`${unknownId} --into ${unknownId.replace('0', 'f')} --take-over`, /^--take-over goes with --file only$/],
  ])('%s is refused with exit 2 and no request', async (words, message) => {
    const { result, requests } = await requestsOf(`contacts merge ${words} --json --yes`)
    expect(result.code).toBe(2)
    expect(errorOf(result)['message']).toMatch(message)
    expect(requests).toEqual([])
  })

  test('refusals: an unknown contact on either side, the read key, no plan', async () => {
    const [known = ''] = fresh(1)
    for (const [source, target] of [
      [unknownId, known],
      [known, unknownId],
    ]) {
      const result = await svc(`contacts merge ${source ?? ''} --into ${target ?? ''} --yes --json`)
      expect(result.code).toBe(6)
      expect(errorOf(result)).toMatchObject({
        category: 'rejected',
        httpStatus: 404,
        code: 40401,
        request: { method: 'POST', attempts: 1 },
      })
    }
    const [source, target] = pair()
    const read = await svc(`contacts merge ${source} --into ${target} --yes --json`, { env: as('read') })
    expect(read.code).toBe(5)
    expect(errorOf(read)).toMatchObject({ code: 40361, hint: expect.stringContaining('"read-write"') as string })
    expect((await svc(`contacts merge ${source} --into ${target} --yes`, { env: as('no-plan') })).code).toBe(5)
    expect(sandbox.store.hasContact(source)).toBe(true)
  })

  test.each([
    'drop-after-apply',
    'drop-before',
    'hang-after-apply',
    '500',
    '503(retry-after=1)',
    'truncated-json',
    'html',
    'foreign-ids',
    'wrong-shape',
  ])('a lost answer (%s): exit 7 with both ids and the time, sent once', async (fault) => {
    const [source, target] = pair()
    sandbox.setFaults(`contacts.merge=${fault}`)
    const { result, requests } = await requestsOf(
      `contacts merge ${source} --into ${target} --yes --json --timeout 300ms`,
      { fast: true },
    )
    sandbox.setFaults()
    expect([result.code, requests.length]).toEqual([7, 1])
    const error = errorOf(result)
    expect(error).toMatchObject({ category: 'unavailable', exitCode: 7, request: { method: 'POST', attempts: 1 } })
    const hint = String(error['hint'])
    expect(hint).toContain(`the merge of ${source} into ${target} may have been made, and was not sent again`)
    const until = Date.parse(/until (\S+):/.exec(hint)?.[1] ?? '')
    expect(until - Date.now()).toBeGreaterThan(350_000)
    expect(until - Date.now()).toBeLessThanOrEqual(360_000)
  })

  test('what was certainly not carried out is sent again', async () => {
    const [source, target] = pair()
    sandbox.setFaults('contacts.merge:1-2=429')
    const { result, requests } = await requestsOf(`contacts merge ${source} --into ${target} --yes`, { fast: true })
    sandbox.setFaults()
    expect([result.code, requests.length]).toEqual([0, 3])
  })

  test('pairs of a file', async () => {
    const file = join(folder, 'pairs.csv')
    const [one, two] = pair()
    const [three, four] = pair()
    writeFileSync(file, `source,target\n${one},${two}\n${three},${four}\n`)
    const result = await svc(['contacts', 'merge', '--file', file, '--yes', '--json'])
    expect(result.code).toBe(0)
    expect(json(result.stdout)).toMatchObject({
      schema: 'svc.bulk/1',
      operation: 'contacts.merge',
      status: 'complete',
      result: { done: 2 },
    })
    expect(sandbox.record.merges()).toContainEqual({ source: three, target: four })
  })
})

describe('contacts delete', () => {
  test('250 ids go out as 100, 100 and 50', async () => {
    const ids = fresh(210).concat(
      contactsWithChats,
      Array.from({ length: 20 }, (_, n) => `${unknownId.slice(0, 22)}${n + 10}`),
    )
    const file = join(folder, 'ids.txt')
    writeFileSync(file, `${ids.join('\n')}\n`)
    const { result, requests } = await requestsOf(['contacts', 'delete', '--file', file, '--yes', '--json'])
    expect(result.code).toBe(3)
    expect(
      requests.map(({ body }) => (json(body) as { contactIds: string[] }).contactIds.length).sort((a, b) => a - b),
    ).toEqual([50, 100, 100])
    expect(json(result.stdout)).toMatchObject({
      operation: 'contacts.delete',
      status: 'partial',
      batches: { total: 3, done: 3 },
      result: { deleted: 210, notFound: 20, blocked: 20, unknown: 0 },
      exitCode: 3,
    })
  })

  test('a table of outcomes', async () => {
    const [id] = fresh(1)
    const { code, stdout } = await svc(`contacts delete ${id ?? ''} --yes`)
    expect(code).toBe(0)
    expect(stdout).toMatch(/^OUTCOME +COUNT\ndeleted +1\n/)
  })

  test('the table adds up to the rows of the input', async () => {
    const [one = '', two = ''] = fresh(2)
    const lines = ['id,keep', `${one},no`, `${two},no`, `${one},no`, 'x,no', `${two},yes`].join('\n')
    const options = '--file - --where keep=no --skip-invalid --yes -o csv'
    const { stdout } = await svc(`contacts delete ${options}`, { stdin: lines })
    expect(stdout).toBe('outcome,count\ndeleted,2\nduplicate,1\ninvalid,1\nleft-out,1\n')
  })

  test('one id is a yes or no, of more the count is typed', async () => {
    const [one] = fresh(1)
    expect((await svc(`contacts delete ${one ?? ''}`, { terminal: typing('y').terminal })).code).toBe(0)
    const two = fresh(2).join(' ')
    for (const [answer, code] of [
      ['y', 9],
      ['3', 9],
      ['2', 0],
    ] as const) {
      const terminal = typing(answer)
      expect((await svc(`contacts delete ${two}`, { terminal: terminal.terminal })).code).toBe(code)
      expect(terminal.shown()).toMatch(/Delete 2 contacts [^]*\?\s+This\s+cannot\s+be\s+undone\.\s+Type 2:/)
    }
    expect((await svc(`contacts delete ${fresh(1).join('')}`)).code).toBe(9)
  })

  test('refusals: a bad id, the read key, no plan', async () => {
    const { result, requests } = await requestsOf(`contacts delete ${unknownId} ../employees 12 --yes --json`)
    expect([result.code, requests]).toEqual([2, []])
    errorOf(result)
    for (const key of ['read', 'no-plan']) {
      const [id = ''] = fresh(1)
      const forbidden = await svc(`contacts delete ${id} --yes --json`, { env: as(key) })
      expect(forbidden.code).toBe(5)
      expect(json(forbidden.stdout)).toMatchObject({ status: 'stopped', stopReason: 'forbidden', exitCode: 5 })
      expect(sandbox.store.hasContact(id)).toBe(true)
    }
  })
})
