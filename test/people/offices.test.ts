/** Tables as offices keep them, from the file to a list: once as their spreadsheet saves csv, once as a workbook. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import { describe, expect, test } from 'vitest'
import type { ContactMatch } from '../../src/people/match.ts'
import { rowsOf, workbook } from '../input/workbooks.ts'
import { createSandboxWorld } from '../svc.ts'

const { svc, folder } = await createSandboxWorld()

/** The last cell of each row is what svc says of it. */
const offices = [
  {
    country: 'DE',
    encoding: 'latin1',
    table: `
      Kd.-Nr.;Name, Vorname;Telefon / Mobil;E-Mail-Adresse;Anmerkung;one
      K-1041;Müller, Jürgen;0171/9876543;;Rückruf ab 17:00 Uhr;one
      K-1042;Fr. Dr. Schmidt, Maria;(0171) 234 56 78;;;several
      K-1043;Yilmaz, Ayse;030 / 555 66 77-12;;;none
      K-1044;Wojcik, Lukasz;+49 (0)30 5556677;lukasz.wojcik@example.org;bitte löschen;one
      K-1045;Keller, Johanna;-;mailto:johanna.keller@example.org;;one
      K-1046;Berg, Anna;siehe Akte;;;unreadable`,
  },
  {
    country: 'FR',
    encoding: 'utf8',
    table: `
      Nom;Prénom;Tél. fixe;Portable;Courriel;Date;one
      NORDSTRÖM;Zoë;+49 30 555 66 77;;;01/03/2026;several
      SOUZA;João;;00 55 11 91234-5678;;02/03/2026;one
      Haddad;Noor;01.99.00.11.22;;« noor.haddad@example.org »;02/03/2026;one
      Dupont;Claire;01 99 00 11 22;06 39 98 00 11;claire.dupont@example.org;;none
      Müller;Jurgen;;0049 171 9876543;JUERGEN.MUELLER@EXAMPLE.ORG;;check
      O'Neill;Sian;;020 7946 0018;;;check`,
  },
  {
    country: 'BR',
    encoding: 'utf8',
    table: `
      Nome completo;Celular (WhatsApp);E-mail;Observação;one
      João Souza;(11) 91234-5678;;cliente desde 2019;one
      Souza, Joao;+55 (11) 1234-5678;;sem o nono dígito;one
      Maria da Silva;11 91234 5678;;;check
      Noor Haddad;;noor.haddad@example.org, contato@exemplo.com.br;;one
      Ana Pérez;0xx11 4002-8922;;;none
      Dra. Sofía Núñez;+54 11 2345-6789;;;one`,
  },
] as const

describe.each(offices)('an office of $country', ({ country, encoding, table }) => {
  const rows = table
    .trim()
    .split(/\n */)
    .map((line) => line.split(';'))
  const cells = rows.map((row) => row.slice(0, -1))
  const wanted = rows.slice(1).map((row) => row.at(-1))
  const semicolons = cells.map((row) => `${row.join(';')}\r\n`).join('')
  const sheets = [{ name: 'Tabelle1', rows: rowsOf(...cells) }]

  test.each([
    ['csv', Buffer.from(semicolons, encoding)],
    ['xlsx', workbook({ sheets })],
  ])('%s: matched, decided and put on a list', async (kind, bytes) => {
    const place = (name: string): string => join(folder, `${country}-${kind}-${name}`)
    const path = place(`people.${kind}`)
    writeFileSync(path, bytes)
    const line = `contacts match ${path} --country ${country} --in "Trade fair"`
    const found = JSON.parse((await svc(`${line} --json`)).stdout) as ContactMatch[]
    expect(found.map(({ match, name, why }) => [match, name, why].join(': '))).toEqual(
      wanted.map((match) => expect.stringMatching(new RegExp(`^${match}:`))),
    )
    // The person decides the first row that svc could not, and says of the others that it is nobody.
    const matched = place('matched.csv')
    expect((await svc(`${line} --annotate ${matched}`)).code).toBe(3)
    const chosen = found.find(({ match }) => match === 'check' || match === 'several')
    const [heading = [], ...others] = parse(readFileSync(matched, 'utf8'), {
      bom: true,
      delimiter: [',', ';'],
    })
    const at = heading.indexOf('contactId')
    for (const [n, row] of others.entries())
      if (row[at] === '')
        row[at] = found[n] === chosen ? (chosen?.candidates[0] ?? '').slice(0, 24) : '-'
    const decided = place('decided.csv')
    writeFileSync(
      decided,
      [heading, ...others]
        .map((row) => row.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(';'))
        .join('\n'),
    )
    expect(
      (await svc(`contacts match ${decided} --country ${country} --in "Trade fair"`)).code,
    ).toBe(0)
    await svc(`lists create --name "${country} ${kind}"`)
    const added = await svc(`lists add-contacts "${country} ${kind}" --file ${decided} --json`)
    const ids = others.map((row) => row[at] ?? '').filter((cell) => cell !== '-')
    expect(JSON.parse(added.stdout)).toMatchObject({
      outcomes: { done: new Set(ids).size },
      input: { leftOut: others.length - ids.length },
    })
  })
})
