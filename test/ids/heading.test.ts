import { describe, expect, it } from 'vitest'
import { readPairs, type PairOptions } from '../../src/ids/pairs.ts'
import { idOf, read, refusal, stdin } from './inputs.ts'

const [a, b, c, d] = [1, 2, 3, 4].map(idOf) as [string, string, string, string]
const merge: PairOptions = { format: 'auto', skipInvalid: false, columns: ['source', 'target'] }
const assign: PairOptions = { ...merge, columns: ['ticket', 'employee'] }

describe('headings are found in any letter case', () => {
  const nouns = ['contact', 'ticket', 'employee', 'source', 'target']
  const headings = ['id', 'contact.id', ...nouns.flatMap((noun) => [`${noun}Id`, `${noun}_id`, `${noun} id`])]
  const spellings = (heading: string) => [
    heading,
    heading.toUpperCase(),
    heading.toLowerCase(),
    ` "${heading}" `.trim(),
  ]

  it.each(headings)('%s', async (heading) => {
    for (const spelling of spellings(heading)) {
      expect([...(await read(`${spelling}\n${a}\n`)).ids]).toEqual([a])
      expect([...(await read(`name;${spelling}\nBob;${a}\n`)).ids]).toEqual([a])
      expect([...(await read(`name,${spelling}\nBob,${a}\n`, { column: '2' })).ids]).toEqual([a])
    }
    expect([...(await read(JSON.stringify([{ name: 'Bob', [heading.toUpperCase()]: a }]))).ids]).toEqual([a])
    expect([...(await read(`${JSON.stringify({ [heading]: a, n: 1 })}\n`)).ids]).toEqual([a])
  })

  it.each(['contact', 'contact-id', 'contactids', 'my id', 'idx', 'contact  id', 'Contact', 'ticket.id'])(
    '%s is none',
    async (heading) => {
      expect((await refusal(read(`${heading}\n${a}\n`))).message).toContain(`line 1: "${heading}"`)
      expect((await refusal(read(`name,${heading}\nBob,${a}\n`))).message).toContain('none is called')
    },
  )

  const odd = [
    'contactId:',
    ' Contact ID : ',
    '\u200bcontact_id',
    'contact\u00a0id\u00ad',
    'ID：',
    '"Contact ID:"',
    'i\ufeffd',
  ]
  it.each(odd)('%j, with what a person does not mean', async (heading) => {
    expect([...(await read(`name;${heading}\nBob;${a}\n`)).ids]).toEqual([a])
    expect([
      ...(await read(`name;${heading}\nBob;${a}\n`, { column: 'n:' }).catch(() => ({ ids: ['none'] }))).ids,
    ]).toEqual(['none'])
    expect([...(await read(JSON.stringify([{ name: 'Bob', [heading]: a }]))).ids]).toEqual([a])
  })

  it.each(['ticket', 'Ticket', 'TICKET:', 'ticketId', 'ticket_id', 'Ticket ID'])(
    '%s, of commands on tickets',
    async (heading) => {
      const options = { isTickets: true }
      expect([...(await read(`${heading}\n${a}\n`, options)).ids]).toEqual([a])
      expect([...(await read(`name,${heading}\nBob,${a}\n`, options)).ids]).toEqual([a])
      expect([...(await read(JSON.stringify([{ [heading]: a }]), options)).ids]).toEqual([a])
    },
  )

  it('without one a command on tickets names those that it finds', async () => {
    const { message } = await refusal(read(`url,who\n${a},Bob\n`, { isTickets: true }))
    expect(message).toContain('none is called "ticket" or "ticketId"')
  })

  it.each(['DECISION:', 'Decision', '\u200bDECISION', 'DECISION\ufeff', ' decision : '])(
    '%j is DECISION',
    async (heading) => {
      const file = `source,target,${heading}\n${a},${b},merge\n${c},${d},\n`
      expect((await refusal(readPairs([stdin(file)], merge))).message).toContain('has a column DECISION')
      const { pairs } = await readPairs([stdin(file)], { ...merge, where: ['DECISION=merge'] })
      expect(pairs.map(({ id }) => id)).toEqual([a])
      const object = JSON.stringify([{ source: a, target: b, [heading]: '' }])
      expect((await refusal(readPairs([stdin(object)], merge))).message).toContain('its DECISION is not "merge"')
    },
  )

  it.each([
    ['contactId:', 'MATCH ', 'BY'],
    ['ContactID', '\u200bmatch', 'by:'],
  ])('%j, %j and %j are of a match', async (...names) => {
    const file = `${names.join(';')}\n${a};one;phone\n;several;phone\n`
    const { ids, leftOut } = await read(file)
    expect([[...ids], leftOut]).toEqual([[a], 1])
  })

  it('CONTACT, as svc writes it', async () => {
    expect([...(await read(`CONTACT,NAME\n${a},Bob\n`)).ids]).toEqual([a])
  })

  const member = { id: b, contact: { id: a } }
  const both: [string, string][] = [
    ['csv', `id,contact.id\n${b},${a}\n`],
    ['csv of capitals', `"Contact.ID";"ID"\n${a};${b}\n`],
    ['JSON', JSON.stringify([member], undefined, 1)],
    ['NDJSON', `${JSON.stringify(member)}\n`],
    ['NDJSON of fields', `${JSON.stringify({ id: b, 'contact.id': a })}\n`],
  ]
  it.each(both)('the id of a membership is never taken: %s', async (_, content) => {
    for (const column of [undefined, 'contact.id', 'CONTACT.id'])
      expect([...(await read(content, column === undefined ? {} : { column })).ids]).toEqual([a])
    const columns = content.startsWith('id,') ? ['id', 'Id', '1'] : ['id', 'ID']
    for (const column of columns) {
      const { exitCode, message, details } = await refusal(read(content, { column }))
      expect([exitCode, `${message}; ${details.hint}`]).toEqual([2, expect.stringContaining('memberships')])
      expect(details.hint).toContain('--column contact.id')
    }
  })

  it('nor by its own heading, nor on a path through a list', async () => {
    const refusals: [string, string][] = [
      [`membershipId,name\n${b},Bob\n`, 'membershipId'],
      [`MEMBERSHIP ID,CONTACT\n${b},${a}\n`, 'membership id'],
      [JSON.stringify({ members: [member] }), 'members.id'],
    ]
    for (const [content, column] of refusals)
      expect((await refusal(read(content, { column }))).message).toContain('ids of memberships')
    expect((await refusal(read(`membershipId,name\n${b},Bob\n`))).message).toContain('none is called')
  })

  it('of pairs, as a heading and as a key', async () => {
    for (const [source, target] of [
      ['Source', 'TARGET'],
      ['sourceId', 'target_id'],
      ['SOURCE ID', 'Target id'],
    ] as const) {
      const expected = [{ id: a, other: b, line: 2 }]
      expect((await readPairs([stdin(`${target},x,${source}\n${b},1,${a}\n`)], merge)).pairs).toEqual(expected)
      const json = `\n${JSON.stringify({ [target]: b, [source]: a })}\n`
      expect((await readPairs([stdin(json)], merge)).pairs).toEqual(expected)
    }
    const tickets = await readPairs([stdin(`Employee ID;Ticket\nAnn Smith;${a}\n`)], assign)
    expect(tickets.pairs).toEqual([{ id: a, other: 'Ann Smith', line: 2 }])
  })

  it('two that may be meant are refused', async () => {
    for (const content of [`ID,contactId\n${a},${b}\n`, JSON.stringify([{ ID: a, contactId: b }])]) {
      expect((await refusal(read(content))).message).toContain('"ID", "contactId"')
    }
    expect((await refusal(readPairs([stdin(`source,Source ID,target\n${a},${b},${c}\n`)], merge))).message).toContain(
      'two columns for the source',
    )
    const json = JSON.stringify([{ source: a, sourceId: b, target: c }])
    expect((await refusal(readPairs([stdin(json)], merge))).message).toContain('two members for the source')
  })
})

describe('a first row that is neither an id nor a heading is a bad line', () => {
  const cases: [name: string, content: string, column: string | undefined, ...fragments: string[]][] = [
    ['under a column number', `unknown,Anna\n${a},Ben\n`, '1', 'line 1: "unknown"', '--column unknown'],
    ['beside the numbered column', `${b},unknown\n${a},${c}\n`, '2', 'line 1: "unknown"'],
    ['a number that is a name too', `1,unknown\n2,${a}\n`, '2', 'line 1: "unknown"'],
    ['a heading that nobody knows', `Kunde Nr.;Name\n${a};Ben\n`, '1', '"Kunde Nr."', '--column "Kunde Nr."'],
    ['one column', `unknown\n${a}\n`, undefined, 'line 1: "unknown"', '--column unknown'],
    ['24 characters', `${'x'.repeat(24)}\n${a}\n`, undefined, 'line 1: "xxxxx'],
    ['blank cells behind', `unknown,,\n${a},,\n`, undefined, 'line 1: "unknown"'],
    ['a ruined id', `5.07E+23,Anna\n${a},Ben\n`, '1', 'line 1: "5.07E+23"', 'scientific notation'],
    ['an empty cell', `,Anna\n${a},Ben\n`, '1', 'line 1: empty'],
    ['no id at all', 'unknown,Anna\nothers,Ben\n', '1', 'none of 2 lines holds a valid id', 'line 1', 'line 2'],
    ['a heading below an id', `unknown,Anna\n${a},Ben\nid,name\n${b},Eve\n`, '1', '2 ids are invalid', 'line 3'],
  ]
  it.each(cases)('%s', async (_, content, column, ...fragments) => {
    const error = await refusal(read(content, { column }))
    expect(error.exitCode).toBe(2)
    for (const fragment of fragments) expect(error.message).toContain(fragment)
    // Left out, it is counted.
    const skipped = await read(content, { column, skipInvalid: true })
    expect(skipped.invalid).toBeGreaterThan(0)
    expect(skipped.read).toBe(skipped.ids.size + skipped.duplicates + skipped.invalid)
  })

  it('many of them, more than a heading is looked for', async () => {
    const error = await refusal(read(`x,y\n`.repeat(30) + `id,name\n${a},Ben\n`, { column: '1' }))
    expect(error.message).toContain('31 ids are invalid')
  })

  it('of pairs: nothing is guessed below it, left out or not', async () => {
    for (const skipInvalid of [false, true]) {
      for (const first of ['to,from', 'target', 'x,y,z', `5.07E+23,${b}`]) {
        const error = await refusal(readPairs([stdin(`${first}\n${a},${b}\n`)], { ...merge, skipInvalid }))
        expect(error.message).toContain(`begins with "${first.split(',')[0]}"`)
      }
    }
  })
})

describe('what stands above the heading is skipped with a note', () => {
  const cases: [name: string, content: string, column: string | undefined, lines: number[], note: RegExp][] = [
    [
      'a title row as a spreadsheet writes it',
      `Export of contacts;;\nName;Contact ID;Phone\nBob;${a};1\nAnn;${b};2\n`,
      undefined,
      [3, 4],
      /^standard input: skipped 1 title row above the heading in line 2: "Export of contacts"$/,
    ],
    [
      'title rows of one cell, with a comma in it, and a blank row',
      `Export, contacts\n\nmade today\nName;Contact ID;x\n;${a};\nAnn;${b};2\n`,
      undefined,
      [5, 6],
      /skipped 2 title rows above the heading in line 4: "Export, contacts", "made today"$/,
    ],
    [
      'above one column',
      `Kunden im März\n2024-03-01\nid\n${a}\n\n${b}\n`,
      undefined,
      [4, 6],
      /2 title rows above the heading in line 3: "Kunden im März", "2024-03-01"/,
    ],
    [
      'above a column that was named',
      `Report\nKunde;Nr\n${a};1\n${b};2\n`,
      'Kunde',
      [3, 4],
      /1 title row above the heading in line 2: "Report"/,
    ],
    [
      'above a numbered one',
      `Report\nid;Nr\n${a};1\n${b};2\n`,
      '1',
      [3, 4],
      /1 title row above the heading in line 2: "Report"/,
    ],
    [
      'a title with line ends in quotes',
      `"Export\nof\ncontacts",\nid,name\n${a},x\n${b},y\n`,
      undefined,
      [5, 6],
      /in line 4: "Export\\u\{a\}of\\u\{a\}contacts"/,
    ],
    [
      'sep=',
      `sep=;\r\nname;id\r\nBob;${a}\r\nAnn, the one;${b}\r\n`,
      undefined,
      [3, 4],
      /skipped Excel's "sep=" line$/,
    ],
    ['sep= with its own delimiter', `sep=|\nid|a,b\n${a}|c\n${b}|\n`, undefined, [3, 4], /"sep=" line/],
    ['pipes below a title', `Export of March\nName|ID\nBob|${a}\nAnn|${b}\n`, undefined, [3, 4], /skipped 1 title row/],
    ['sep= with a tab', `"SEP=\t"\nx\tID\n1\t${a}\n2\t${b}`, undefined, [3, 4], /"sep=" line/],
  ]
  it.each(cases)('%s', async (_, content, column, lines, note) => {
    for (const text of [content, `\ufeff${content}`]) {
      const found = await read(text, { column })
      expect([...found.ids]).toEqual([a, b])
      expect(lines.map((_line, index) => found.ids.line(index))).toEqual(lines)
      expect(found.notes).toEqual([expect.stringMatching(note)])
    }
  })

  it('of both kinds at once, and in UTF-16', async () => {
    const text = `\ufeffsep=;\r\nReport;;\r\nName;ID\r\nZoë;${a}\r\n`
    const { ids, notes } = await read(Buffer.from(text, 'utf16le'))
    expect([...ids]).toEqual([a])
    expect(notes).toHaveLength(2)
  })

  it('of pairs', async () => {
    const found = await readPairs(
      [stdin(`sep=;\nMerges of March\n\nTarget ID;Source ID\n${b};${a}\n${d};${c}\n`)],
      merge,
    )
    expect(found.pairs).toEqual([
      { id: a, other: b, line: 5 },
      { id: c, other: d, line: 6 },
    ])
    expect(found.notes).toEqual([
      `standard input: skipped Excel's "sep=" line`,
      'standard input: skipped 1 title row above the heading in line 4: "Merges of March"',
    ])
  })

  it('nothing to say of an ordinary file', async () => {
    for (const content of [`${a}\n`, `id\n${a}\n`, `# mine\n\nid,x\n${a},1\n`, JSON.stringify([a])]) {
      expect((await read(content)).notes).toEqual([])
    }
  })

  it('never a row with an id', async () => {
    const error = await refusal(read(`${a},Bob\nname,id\nAnn,${b}\n`))
    expect(error.message).toContain('no heading')
    const named = await refusal(read(`${a},Bob\nname,Kunde\nAnn,${b}\n`, { column: 'Kunde' }))
    expect(named.message).toContain('no column "Kunde"')
  })
})
