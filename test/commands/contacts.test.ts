/** `svc contacts …` against the sandbox over real HTTP. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createSandboxWorld, errorOf } from '../svc.ts'

const { sandbox, folder, requestsOf } = await createSandboxWorld()
const { contactsWithoutChats, contactsWithChats } = sandbox.examples
const unknownId = '0123456789abcdef01234567'
const json = (text: string): unknown => JSON.parse(text)
let used = 0
/** Contacts without chats that no test has touched. */
const fresh = (count: number): string[] => contactsWithoutChats.slice(used, (used += count))
const pair = (): [string, string] => {
  const [source = '', target = ''] = fresh(2)
  return [source, target]
}

describe('contacts merge', () => {
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
})
