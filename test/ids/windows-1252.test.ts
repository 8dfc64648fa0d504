/** Csv files that Excel saved as Windows-1252, and those that are neither this nor UTF-8. */
import { describe, expect, it } from 'vitest'
import { idOf, read, refusal, stdin } from './inputs.ts'
import { readIds } from '../../src/ids/reader.ts'

const [a, b] = [idOf(1), idOf(2)] as const
const csv = (name: Buffer | string): Buffer =>
  Buffer.concat([Buffer.from(`Name;id\n`), Buffer.from(name), Buffer.from(`;${a}\nx;${b}\n`)])
/** The bytes 80 to 9F as Windows-1252 has them; five have no character. */
const defined = '€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ'
const undefinedBytes = [0x81, 0x8d, 0x8f, 0x90, 0x9d]
const upper = Array.from({ length: 32 }, (_, n) => 0x80 + n).filter((byte) => !undefinedBytes.includes(byte))

describe('Windows-1252', () => {
  it('is read, with a note that shows a decoded cell, however the bytes come', async () => {
    for (const size of [1, 2, 7, 65_536]) {
      const input = stdin(csv(Buffer.from('J\xfcrgen Gro\xdf', 'latin1')), size)
      const { ids, notes } = await readIds([input], { format: 'auto', skipInvalid: false })
      expect([...ids]).toEqual([a, b])
      expect(notes).toHaveLength(1)
      expect(notes[0]).toMatch(
        size > 7 ? /read as Windows-1252, with "Jürgen Groß" in it/ : /read as Windows-1252, with "J?ü/,
      )
    }
  })

  it.each(upper.map((byte, n) => [byte, defined.at(n)] as const))('byte %i is %s', async (byte, character) => {
    const { ids } = await read(csv(Buffer.from([byte])), { where: [`Name=${character ?? ''}`] })
    expect([...ids]).toEqual([a])
  })

  it('headings and values of --where are those that a person sees', async () => {
    const bytes = Buffer.from(`# f\xfcr Stra\xdfe\nStra\xdfe;id\nGro\xdf;${a}\nKlein;${b}\n`, 'latin1')
    expect([...(await read(bytes, { where: ['straße=groß'] })).ids]).toEqual([a])
  })
})

describe('neither UTF-8 nor Windows-1252', () => {
  const cases: [string, Buffer, number][] = [
    ...undefinedBytes.map((byte): [string, Buffer, number] => [`byte ${byte}`, Buffer.from([byte]), 8]),
    ['a character of UTF-8 behind', Buffer.from('\xfc \xc3\xbc', 'latin1'), 10],
    ['a character of UTF-8 before', Buffer.from('\xc3\xbc \xfc', 'latin1'), 11],
    ['a control character before', Buffer.from('\x01\xfc', 'latin1'), 8],
    ['a control character behind', Buffer.from('\xfc\x7f', 'latin1'), 9],
  ]
  it.each(cases)('%s is refused with its offset', async (_, name, offset) => {
    for (const size of [1, 65_536]) {
      const input = stdin(csv(name), size)
      const error = await refusal(readIds([input], { format: 'auto', skipInvalid: true }))
      expect([error.exitCode, error.message]).toEqual([
        2,
        `standard input is neither UTF-8 nor Windows-1252: byte ${offset}`,
      ])
    }
  })

  it('UTF-8 is what it was', async () => {
    for (const size of [1, 3, 65_536]) {
      const { ids, notes } = await readIds([stdin(csv('Zoë 王 😀'), size)], { format: 'auto', skipInvalid: false })
      expect([[...ids], notes]).toEqual([[a, b], []])
    }
  })
})
