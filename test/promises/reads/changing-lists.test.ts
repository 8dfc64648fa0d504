/** Commands that read what others keep changing fail and print nothing. test/api/pages.test.ts tests the rule itself. */
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
const outsider = store.contactIds()[10] ?? ''
const leave = () => store.leave(list, [...store.memberIds(list)].at(-1) ?? '')
const join = () => store.change('lists.add-contacts', { contactIds: [outsider] }, list)

test.each(['lists members VIP -o ids', 'contacts list --in VIP -o ids'])(
  'a list that never rests is exit 7, and nothing is printed: %s',
  async (line) => {
    let page = 0
    beforeRequest = (url) => void (url.includes(list) && (page++ % 2 === 0 ? leave() : join()))
    const { code, stdout, stderr } = await svc(line)
    beforeRequest = () => undefined
    expect([code, stdout]).toEqual([7, ''])
    expect(stderr).toMatch(/the members of [0-9a-f]{24} could not be read completely in 3 attempts/)
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
