/**
 * Reads of a list, or of contacts through a list, while others change it: nobody who stays is missing, or the command fails and
 * prints nothing. test/api/pages.test.ts tests the rule itself.
 */
import { expect, test } from 'vitest'
import { limits } from '../../../src/api/operations.ts'
import { atEnd } from '../../support/ending.ts'
import { createSandboxWorld } from '../../support/svc.ts'

// Pages of two rows, so that a few members are many pages.
const usual = { ...limits.pageSize }
Object.assign(limits.pageSize, { max: 2, default: 2 })
atEnd(() => Object.assign(limits.pageSize, usual))

/** Called before each request for lists or their members is answered. */
let beforeRequest: (url: string) => void = () => undefined
const { svc, sandbox } = await createSandboxWorld({
  onRequest: (url) => beforeRequest(url),
})
const { store } = sandbox
const { list } = sandbox.examples

const contacts = store.contactIds()
const outsider = contacts[10] ?? ''
/** Members of VIP before each read, oldest first: four pages. */
const atFirst = [0, 5, 8, 1, 21, 28, 3, 2].map((position) => contacts[position] ?? '')

const members = (): string[] => [...store.memberIds(list)]
const joinList = (id: string): unknown =>
  store.change('lists.add-contacts', { contactIds: [id] }, list)
const leave = (): void => store.leave(list, members().at(-1) ?? '')

/** Runs a command on the first members while `change` is made before each of its pages, which are numbered from 0. */
async function during(line: string, change: (page: number) => unknown) {
  for (const id of members()) store.leave(list, id)
  for (const id of atFirst) joinList(id)
  let page = 0
  beforeRequest = (url) => void (url.includes(list) && change(page++))
  const result = await svc(line)
  beforeRequest = () => undefined
  return { ...result, ids: new Set(result.stdout.match(/\b[0-9a-f]{24}\b/g)) }
}

test('who joins or leaves during a read: nobody who stays is missing', async () => {
  const line = 'lists members VIP -o ids'
  const whole = (await during(line, () => undefined)).ids
  expect(whole.size).toBe(atFirst.length)
  for (const change of [leave, () => joinList(outsider)]) {
    const { code, ids } = await during(line, (page) => page === 1 && change())
    expect(code).toBe(0)
    const stayed = [...whole].filter((id) => members().includes(id))
    expect(stayed.filter((id) => !ids.has(id))).toEqual([])
  }
})

test.each(['lists members VIP -o ids', 'contacts list --in VIP -o ids'])(
  'a list that never rests is exit 7, and nothing is printed: %s',
  async (line) => {
    const { code, stdout, stderr } = await during(line, (page) =>
      page % 2 === 0 ? leave() : joinList(outsider),
    )
    expect([code, stdout]).toEqual([7, ''])
    expect(stderr).toMatch(/the members of [0-9a-f]{24} could not be read completely in 4 attempts/)
  },
)

test('no list is called missing while new ones keep coming: exit 7, and nothing is printed', async () => {
  beforeRequest = (url) => {
    if (url.startsWith('/v1/lists?')) store.change('lists.create', { name: 'Another' })
  }
  const { code, stdout, stderr } = await svc('lists get "No such list" --json')
  beforeRequest = () => undefined
  expect([code, stdout]).toEqual([7, ''])
  expect(stderr).toContain('the lists could not be read completely')
})
