/** Which columns of a table of people have what, by their headings. Pure. */
import { usageError } from '../errors.ts'
import { placeNamed, type HeadingRule } from '../input/columns.ts'
import { isSameHeading } from '../input/headings.ts'
import { matchPlaces } from '../input/row-filter.ts'
import { closest, fold, joinOr } from '../words.ts'
import { kindOf, kinds, messengerKeys, type IdentityKey, type Kind } from './identity.ts'
import { quoteAll } from '../output/text/safe.ts'

/** Columns that were named, and what may decide; undefined: what is found. */
export interface PeopleChoice {
  readonly phoneColumn: readonly string[]
  readonly emailColumn: readonly string[]
  readonly nameColumn?: string | undefined
  /** `Telegram=messengerB_username`. */
  readonly messengerColumn: readonly string[]
  readonly by?: readonly Kind[] | undefined
  /** Rows that were matched before are looked for again. */
  readonly again?: boolean | undefined
}

export interface PeopleColumns {
  /** Columns that may decide, each under its key; phone numbers under `phone`. */
  readonly values: readonly { readonly column: number; readonly key: IdentityKey }[]
  /** Each a name in one column or more, in the order of its words; of a row the first that is there is compared. */
  readonly names: readonly (readonly number[])[]
  /** Where an earlier match wrote whom it found. */
  readonly matched:
    | {
        readonly contactId: number
        readonly match: number
        readonly by: number
        readonly name?: number | undefined
      }
    | undefined
  readonly headings: readonly string[]
}

export const addedHeadings = ['contactId', 'MATCH', 'BY', 'NAME', 'LISTS', 'CANDIDATES'] as const

/** In English, German, French, Spanish and Portuguese, without accents and without the words that say whose or which it is. */
const phrases = {
  phone: `
    phone, telephone, mobile, cell, cellphone, tel, mobile phone, cell phone, mob, whatsapp, telefon, handy, mobil,
    mobiltelefon, festnetz, rufnummer, telefonnummer, telefonnr, handynummer, handynr, mobilnummer, mobilnr,
    portable, telephone portable, telephone mobile, gsm, telefono, movil, celular, telefono movil, telefono celular,
    tlf, tfno, telefone, telemovel, telefone celular, fone`,
  email: `
    email, e mail, mail, emailadresse, mailadresse, courriel, mel, adresse electronique, correo, correo electronico,
    direccion de correo, direccion de correo electronico, correio eletronico, adresse email, adresse e mail, adresse
    mail, endereco de email, endereco de e mail, correio electronico`,
  name: `
    name, full name, fullname, vor und nachname, vorname und nachname, nach und vorname, vollstandiger name, nom, nom
    complet, nom et prenom, prenom et nom, prenom nom, nom prenom, nombre, nombre completo, nombre y apellido, nombre y
    apellidos, nome, nome completo, nome e sobrenome, nome e apelido`,
  firstName: `
    first name, firstname, given name, forename, vorname, rufname, prenom, primer nombre, nombres, nombre de pila,
    primeiro nome, nome proprio`,
  lastName: `
    last name, lastname, surname, family name, nachname, familienname, zuname, nom de famille, apellido, apellidos,
    primer apellido, sobrenome, apelido, ultimo nome, nome de familia`,
  contact: `
    contact, contact name, ansprechpartner, ansprechpartnerin, kontakt, kontaktperson, interlocuteur, nom du contact,
    contacto, nombre del contacto, persona de contacto, contato, nome do contato, pessoa de contacto, pessoa de contato`,
  customer: `
    customer, customer name, client, client name, kunde, kundin, kundenname, nom du client, cliente, nombre del cliente,
    nome do cliente`,
}
const meanings = new Map(
  (['phone', 'email', 'name', 'firstName', 'lastName', 'contact', 'customer'] as const).flatMap(
    (meaning) =>
      phrases[meaning]
        .split(',')
        .map((phrase) => [phrase.trim().replace(/\s+/g, ' '), meaning] as const),
  ),
)
const besides = new Set([
  ...[
    'number',
    'no',
    'nr',
    'num',
    'address',
    'work',
    'home',
    'private',
    'business',
    'office',
    'main',
    'primary',
  ],
  ...[
    'secondary',
    'personal',
    'contact',
    'customer',
    'identities',
    'nummer',
    'adresse',
    'privat',
    'geschaftlich',
  ],
  ...[
    'dienstlich',
    'numero',
    'n',
    'de',
    'du',
    'personnel',
    'professionnel',
    'fixe',
    'fijo',
    'fixo',
    'particular',
  ],
  ...[
    'trabajo',
    'trabalho',
    'pessoal',
    'direccion',
    'endereco',
    'o',
    'value',
    'kunde',
    'kunden',
    'client',
    'cliente',
  ],
])

/** The meaning of a heading, which says what is below it: `Phone (work)`, `E-Mail-Adresse`, `N° de téléphone 2`. */
export function meaningOf(heading: string) {
  const plain = fold(
    heading
      .replace(/([a-z])([A-Z])/g, '$1 $2')
      .normalize('NFD')
      .replace(/\p{M}/gu, ''),
  )
  const words = plain.split(/[^\p{L}\p{N}]+/u).filter((word) => !/^\d*$/.test(word))
  const whole = words.join(' ')
  const bare = words.filter((word) => !besides.has(word)).join(' ')
  return meanings.get(whole) ?? meanings.get(bare) ?? meanings.get(words.join(''))
}

/** Whether a heading says that people are below it, or is one that was named. */
export function isPeopleHeading(cell: string, choice: PeopleChoice): boolean {
  return (
    meaningOf(cell) !== undefined ||
    namedColumns(choice).some(({ column }) => isSameHeading(cell, column))
  )
}

/** The meaning of a column, by its heading or by an option. */
type ColumnMeaning = IdentityKey | NameMeaning
type NameMeaning = 'name' | 'firstName' | 'lastName' | 'contact' | 'customer'

interface NamedColumn {
  readonly option: string
  readonly column: string
  readonly key: ColumnMeaning
}

function namedColumns({
  phoneColumn,
  emailColumn,
  nameColumn,
  messengerColumn,
}: PeopleChoice): NamedColumn[] {
  return [
    ...phoneColumn.map((column) => ({ option: '--phone-column', column, key: 'phone' }) as const),
    ...emailColumn.map((column) => ({ option: '--email-column', column, key: 'email' }) as const),
    ...(nameColumn === undefined
      ? []
      : [{ option: '--name-column', column: nameColumn, key: 'name' } as const]),
    ...messengerColumn.map((text) => ({ option: '--messenger-column', ...messengerOf(text) })),
  ]
}

function messengerOf(text: string): { column: string; key: IdentityKey } {
  const at = text.lastIndexOf('=')
  const [column, word] = [text.slice(0, Math.max(at, 0)).trim(), text.slice(at + 1).trim()]
  const key = messengerKeys.find((one) => one.toLowerCase() === word.toLowerCase())
  if (column !== '' && key !== undefined) return { column, key }
  const near = closest(word, messengerKeys)
  throw usageError(
    `--messenger-column takes <column>=<identity key>, not "${text}"`,
    near !== undefined && column !== ''
      ? `did you mean ${column}=${near}?`
      : `the keys are ${joinOr(messengerKeys)}`,
  )
}

/** The rule for a table of people. Throws exit 2 for a column that is not there, or there twice, and without anything to decide. */
export function peopleColumns(input: string, choice: PeopleChoice): HeadingRule<PeopleColumns> {
  const named = namedColumns(choice)
  return {
    find(cells) {
      const isHeading = cells.some((cell) => isPeopleHeading(cell, choice))
      return isHeading ? columnsOf(input, cells, choice, named) : undefined
    },
    bare(rows) {
      const [first] = rows
      const option = named[0] === undefined ? undefined : `${named[0].option} "${named[0].column}"`
      throw usageError(
        `${input} has no heading ${option === undefined ? 'that names a phone number, an address or a name' : `for ${option}`}`,
        `its first row is ${quoteAll(first?.cells ?? [])}; columns are named with --phone-column, --email-column and --name-column`,
      )
    },
  }
}

function columnsOf(
  input: string,
  cells: readonly string[],
  choice: PeopleChoice,
  named: readonly NamedColumn[],
) {
  const own = ownColumns(cells)
  const found = named.map(({ option, column, key }) => ({
    column: placeOf(input, cells, { option, column, own }),
    key,
  }))
  const taken = new Set([...found.map(({ column }) => column), ...own])
  const isNamed = new Set(found.map(({ key }) => key))
  for (const [column, cell] of cells.entries()) {
    const key: ColumnMeaning | undefined = taken.has(column) ? undefined : meaningOf(cell)
    if (key !== undefined && !isNamed.has(isNameMeaning(key) ? 'name' : key))
      found.push({ column, key })
  }
  const values = found.flatMap(({ column, key }) => (isNameMeaning(key) ? [] : [{ column, key }]))
  checkBy(input, cells, values, choice)
  const { by, again = false } = choice
  const places = again ? undefined : matchPlaces(cells)
  return {
    values: by === undefined ? values : values.filter(({ key }) => by.includes(kindOf(key))),
    names: nameColumns((wanted) =>
      found.flatMap(({ column, key }) => (key === wanted ? [column] : [])),
    ),
    matched:
      places === undefined ? undefined : { ...places, name: own[addedHeadings.indexOf('NAME')] },
    headings: cells,
  }
}

function isNameMeaning(key: ColumnMeaning): key is NameMeaning {
  return ['name', 'firstName', 'lastName', 'contact', 'customer'].includes(key)
}

/** A `Nom` beside a `Prénom` is the last name, and a `Nombre` beside `Apellidos` the first. */
function nameColumns(columnsWith: (meaning: NameMeaning) => number[]): number[][] {
  const [names, first, last] = [
    columnsWith('name'),
    columnsWith('firstName'),
    columnsWith('lastName'),
  ]
  const isWhole = (first.length === 0) === (last.length === 0)
  const together = [...first, ...(isWhole ? [] : names), ...last]
  const others = [...columnsWith('contact'), ...columnsWith('customer')]
  const each = [
    ...(isWhole ? names : []).map((column) => [column]),
    together,
    ...others.map((column) => [column]),
  ]
  return each.filter(({ length }) => length > 0)
}

function checkBy(
  input: string,
  cells: readonly string[],
  values: PeopleColumns['values'],
  { by }: PeopleChoice,
): void {
  const kinds = new Set(values.map(({ key }) => kindOf(key)))
  const missing = (by ?? []).find((kind) => !kinds.has(kind))
  if (missing === undefined && kinds.size > 0) return
  throw usageError(
    `${input} has no column with ${missing === undefined ? 'phone numbers, addresses or messenger values' : wordsOf[missing]}; its columns are ${quoteAll(cells)}`,
    missing === undefined
      ? 'a name alone never decides; name a column with --phone-column or --email-column'
      : `name it with ${optionOf[missing]}`,
  )
}

const wordsOf: Readonly<Record<Kind, string>> = {
  phone: 'phone numbers',
  email: 'email addresses',
  messenger: 'messenger values',
}
const optionOf: Readonly<Record<Kind, string>> = {
  phone: '--phone-column',
  email: '--email-column',
  messenger: '--messenger-column <column>=<identity key>',
}

/** Which columns were taken for what. */
export function columnsInWords({ values, names, headings }: PeopleColumns): string[] {
  const quoteColumns = (columns: readonly number[]): string =>
    quoteAll(columns.map((column) => headings[column] ?? ''))
  const placesOf = (kind: Kind): number[] =>
    values.flatMap(({ column, key }) => (kindOf(key) === kind ? [column] : []))
  const taken = [
    ['names', names.flat()] as const,
    ...kinds.map((kind) => [wordsOf[kind], placesOf(kind)] as const),
  ]
  return [
    taken
      .flatMap(([what, columns]) =>
        columns.length === 0 ? [] : [`${what} from ${quoteColumns(columns)}`],
      )
      .join(', '),
    ...(names.length === 0
      ? ['names are not compared: no column of names was found; name it with --name-column']
      : []),
  ]
}

function placeOf(
  input: string,
  cells: readonly string[],
  { option, column, own }: { option: string; column: string; own: readonly number[] },
): number {
  const others = cells.map((cell, place) => (own.includes(place) ? '' : cell))
  const place = placeNamed(input, others, column.trim())
  if (place !== undefined) return place
  const near = closest(column, cells)
  const hint = near === undefined ? undefined : `did you mean ${option} "${near}"?`
  throw usageError(`${input} has no column "${column}"; its columns are ${quoteAll(cells)}`, hint)
}

/** The columns that an earlier `--annotate` added: contactId, MATCH and BY side by side, with those of the others that follow. */
export function ownColumns(cells: readonly string[]): number[] {
  const isOwn = (place: number, index: number): boolean =>
    isSameHeading(cells[place] ?? '', addedHeadings[index] ?? '')
  const first = cells.findIndex(
    (_, place) => isOwn(place, 0) && isOwn(place + 1, 1) && isOwn(place + 2, 2),
  )
  if (first < 0) return []
  const length = addedHeadings.findIndex((_, index) => !isOwn(first + index, index))
  return Array.from(
    { length: length < 0 ? addedHeadings.length : length },
    (_, index) => first + index,
  )
}
