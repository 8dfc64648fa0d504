/** The cases of read.txt, whose header explains them, and headings. What is wrong with a line is said in id-files.txt. */
import { gzipSync } from 'node:zlib'
import { describe, expect, it, test } from 'vitest'
import { a, casesOf, reading, type Case } from '../support/texts.ts'

test.each(casesOf('read'))('read: %s', async (_, content, expected, options) => {
  expect(await reading(content, options)).toBe(expected)
})

test.each<Case>([['gzip', gzipSync(`${a}\n`), 'is not UTF-8 text'], ...casesOf('refused')])(
  'refused: %s',
  async (_, content, expected, options = {}) => {
    const said = await reading(content, options)
    expect(said).toMatch(/^!/)
    for (const words of expected.split(' … ')) expect(said).toContain(words)
  },
)

describe('headings', () => {
  const usual = ['contactId', 'contact_id', 'contact id', 'contact.id', 'CONTACT', 'id']
  const typed = [
    'CONTACTID',
    'Contact ID',
    'ID',
    '\u200bcontact_id',
    'contact\u00a0id\u00ad',
    'i\ufeffd',
  ]

  it.each([...usual, ...typed])('%j is one', async (heading) => {
    expect(await reading(`name;${heading}\nBob;@a\n`)).toBe('a2')
    expect(await reading(`${heading}\n@a\n`)).toBe('a2')
    expect(await reading(JSON.stringify([{ name: 'Bob', [heading]: a }]))).toBe('a1')
    expect(await reading(`name;${heading}\nBob;@a\n`, { column: 'n' })).toContain('no column "n"')
  })

  it.each(['id', 'ticket', 'TICKET', 'ticketId', 'Ticket ID', 'ticket.id'])(
    '%j is one of tickets',
    async (heading) => {
      for (const content of [`${heading}\n@a\n`, `name,${heading}\nBob,@a\n`])
        expect(await reading(content, { item: 'ticket' })).toBe('a2')
    },
  )

  it.each(['contact-id', 'contactids', 'my id', 'idx', 'ticketId', 'Contact', 'employee_id'])(
    '%j is none',
    async (heading) => {
      expect(await reading(`${heading}\n@a\n`)).toContain(`line 1: "${heading}"`)
      expect(await reading(`name,${heading}\nBob,@a\n`)).toContain('no column called')
    },
  )
})
