import { describe, expect, test } from 'vitest'
import {
  findEmployee,
  listCalled,
  listsCalled,
  parseDescription,
  parseListName,
} from '../../src/api/names.ts'
import { refusal } from '../support/inputs.ts'

const id = '64B0000000000000000000aF'

test('24 hexadecimal digits are an id, for which no employee is read, and any other text is a name', async () => {
  const read = () => Promise.reject(new Error('read'))
  expect(await findEmployee(read, id)).toEqual({ id })
  for (const name of [`id:${id}`, id.slice(1)])
    await expect(findEmployee(read, name)).rejects.toThrow('read')
})

describe('the name that a list gets', () => {
  const emoji = '😀'
  const good = [`${'a'.repeat(99)}${emoji}`, 'e\u0301', 'x  y', 'a\u200bb', id.slice(1)]
  test.each(good)('%j is sent without the blanks around it', (name) => {
    expect(parseListName(` \u00a0${name}\t`, '--name')).toBe(name)
  })
  test.each([
    ['', 'be blank'],
    [' \u00a0\u200b\u2800', 'be blank'],
    [emoji.repeat(101), 'has 101 characters; the limit is 100'],
    ['a\nb', 'control characters'],
    ['a\u001b[31m', 'control characters'],
    ['\u0085a', 'control characters'],
    [' -Sale', 'start with "-"'],
    [` ${id} `, 'not be an id'],
  ])('%j is exit 2: %s', (name, words) => {
    expect(() => parseListName(name, '--name')).toThrow(
      expect.objectContaining({ exitCode: 2, message: expect.stringContaining(words) as string }),
    )
  })
  test('a description has at most 1,000 characters, and does not start with "-"', () => {
    for (const text of ['', '5 -', 'two\nlines', 'a'.repeat(1000)])
      expect(parseDescription(text, '--description')).toBe(text)
    for (const text of ['-5%', 'a'.repeat(1001)])
      expect(() => parseDescription(text, '--description')).toThrow(
        /start with "-"|the limit is 1,000/,
      )
  })
})

const details = { kind: 'human', position: 'Agent', status: 'active' }
const employee = (number: number, firstName?: string | null, lastName?: string | null) => ({
  id: String(number).padStart(24, '0'),
  ...{ firstName, lastName, ...details },
})

type People = ReturnType<typeof employee>[]

const find = (all: People, name: string) => findEmployee(() => Promise.resolve(all), name)

describe('employees', () => {
  const exact = [employee(1, 'anna', 'berg'), employee(2, 'Anna', 'Berg')]
  const ruiz = [employee(4, 'Jos\u00e9', 'Ruiz'), employee(5, 'Jose', 'Ruiz')]
  test.each<[typed: string, all: People, number: number | undefined]>([
    ['Anna Berg', exact, 2],
    ['anna berg', exact, 1],
    ['ANNA BERG', exact, undefined],
    ['ANNA BERG', exact.slice(1), 2],
    ['Berg', [employee(3, null, 'Berg')], 3],
    ['Jose\u0301 Ruiz', ruiz, 4],
    ['JOSE\u0301 RUIZ', ruiz, 4],
    ['jose ruiz', ruiz, 5],
    ['', [...exact, employee(6)], undefined],
    [' \u200b', [employee(6, ' ')], undefined],
  ])('%j', async (typed, all, number) => {
    const found = await find(all, typed).catch((error: unknown) => error)
    const wanted = number === undefined ? { exitCode: 2 } : { id: employee(number).id }
    expect(found).toMatchObject(wanted)
  })

  const names = 'Robin Berg, Anna Robinson, robin z, Robyn, ROBIN A, Robin B, Robin C'.split(', ')
  const robins = names.map((name, n) => employee(n, name))
  const twins = Array.from({ length: 7 }, (_, n) => employee(n, 'Sam Twin'))
  test.each([
    ['Robin', robins, [0, 1, 2, 3, 4], 'no employee is'],
    ['RobinZ', robins, [2], 'no employee is'],
    ['Berg  Tom', robins, [0], 'no employee is'],
    ['Eva', robins, [], 'no employee is'],
    ['Sam Twin', twins, [0, 1, 2, 3, 4], '7 employees are'],
  ])(
    '%s: at most five whose name is near, or has a typed word',
    async (typed, all, listed, words) => {
      const { message, details } = await refusal(find(all, typed))
      const lead = all === twins ? '' : 'similar: '
      const lines = listed.map(
        (n) => `${lead}"${all[n]?.firstName}" (${all[n]?.id}, human, Agent, active)`,
      )
      expect([message, details.lines]).toEqual([`${words} called "${typed}"`, lines])
      expect(details.hint).toMatchObject({ type: 'employees list --limit all' })
    },
  )
})

test('two employees of one name, kind, position and status are told apart by when they came', async () => {
  const dates = ['2025-03-01T10:00:00.000Z', '2025-03-02T10:00:00.000Z']
  const twins = dates.map((createdAt, n) => ({ ...employee(n, 'Sam'), createdAt }))
  const lines = twins.map(
    (each) => `"Sam" (${each.id}, human, Agent, active, created ${each.createdAt.slice(0, 10)})`,
  )
  expect((await refusal(find(twins, 'Sam'))).details.lines).toEqual(lines)
})

const listNames = ['VIP', 'vip', 'Trade fair', '']
const lists = listNames.map((name, n) => ({ id: `${n}`, name, contactsCount: n }))

test('a list is the one of the typed name', async () => {
  expect(listCalled(lists, 'vip').id).toBe('1')
  expect(listCalled(lists, 'TRADE FAIR').id).toBe('2')
  expect(await refusal(() => listCalled(lists, 'Vip'))).toMatchObject({
    message: '2 lists are called "Vip"',
    details: { lines: ['"VIP" (0, 0 contacts)', '"vip" (1, 1 contact)'] },
  })
  // It is the object that the service sent, without another member.
  expect(lists).toContain(listCalled(lists, 'Trade fair'))
})

test('several lists that have a name are all found, but for one in exactly these letters', () => {
  const called = (name: string) => listsCalled(lists, name).map(({ id }) => id)
  expect([called('vip'), called('Vi\u00adp'), called('v I p'), called('')]).toEqual([
    ['1'],
    ['0', '1'],
    [],
    [],
  ])
})
