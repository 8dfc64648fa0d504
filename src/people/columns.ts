/**
 * Chooses the columns of a table of people by their headings or by options. A wrong column would lead to the wrong people, so svc
 * always shows the choice. Pure.
 */
import { findColumn, noColumnError, requireColumn } from '../input/columns.ts'
import type { Table, TableRule } from '../input/table.ts'
import { fold } from '../words.ts'
import { hasValue } from './values.ts'

/** The options that choose columns by heading or by number from 1. Where no option is typed, the headings decide. */
export interface PeopleChoice {
  phoneColumn: readonly string[]
  emailColumn: readonly string[]
  nameColumn: readonly string[]
  countryColumn: readonly string[]
}

/** The columns that svc adds. In exactly these letters, they are replaced when a table is matched again. */
export const matchHeadings: readonly string[] = ['contactId', 'MATCH', 'WHY', 'CANDIDATES']

/**
 * Returns the rule for a table of people. Throws a usage error if an option names a missing column, or if no column can identify a
 * contact.
 */
export function peopleRule(choice: PeopleChoice): TableRule {
  return {
    kind: 'people',
    isKnown: (heading) => meaningOf(heading) !== undefined || heading === 'contactId',
    isValue: hasValue,
    columnsOf(table) {
      return choosePeopleColumns(table, choice).read.map((column) => ({ column }))
    },
    advice: () => 'fix these lines; one bad line refuses the whole table',
  }
}

/** The indexes of the columns of a table of people. */
export interface PeopleColumns {
  phone: readonly number[]
  email: readonly number[]
  /** The parts of a name, in the order in which a name is written. */
  name: readonly number[]
  country: readonly number[]
  contactId: number | undefined
  /** All columns above. */
  read: readonly number[]
  /** The columns that are neither read nor written again. */
  others: readonly number[]
}

/** Chooses columns by the options, then by the headings. In a table without a heading, `headings` has empty texts. */
export function choosePeopleColumns(table: Table, choice: PeopleChoice): PeopleColumns {
  const { headings } = table
  const columnOf = (typed: string) => requireColumn(table, typed)
  const chosenCountries = choice.countryColumn.map(columnOf)
  const chosenPhones = choice.phoneColumn.map(columnOf)
  const chosenEmails = choice.emailColumn.map(columnOf)
  const chosenNames = choice.nameColumn.map(columnOf)
  const isOwn = (column: number) => matchHeadings.includes(headings[column] ?? '')
  const taken = [chosenPhones, chosenEmails, chosenNames, chosenCountries].flat()
  const free = Array.from(headings.keys()).filter(
    (column) => !taken.includes(column) && !isOwn(column),
  )
  const columnsFor = (meaning: Meaning) =>
    free.filter((column) => meaningOf(headings[column] ?? '') === meaning)
  const phone = [...columnsFor('phone'), ...chosenPhones]
  const email = [...columnsFor('email'), ...chosenEmails]
  const country = [...columnsFor('country'), ...chosenCountries]
  // Next to only one half of a name, a whole name is the other half: next to `Prénom`, `Nom` is the last name.
  const first = columnsFor('firstName')
  const last = columnsFor('lastName')
  const hasBothHalves = first.length > 0 && last.length > 0
  const whole = hasBothHalves ? [] : columnsFor('name')
  const name = [...first, ...whole, ...last, ...chosenNames]
  if (phone.length + email.length === 0)
    throw noColumnError(
      table,
      'no column with phone numbers or email addresses',
      'a name alone is never enough; name a column with --phone-column or --email-column',
    )
  const contactId = findColumn(table, (heading) =>
    heading === 'contactId' ? 0 : undefined,
  )
  const read = [name, phone, email, country, contactId ?? []].flat()
  const others = free.filter((column) => !read.includes(column))
  return { phone, email, name, country, contactId, read, others }
}

/** The words of headings for each meaning, without accents. `firstname` also fits `first name`. */
const wordsByMeaning = {
  phone: `
    phone telephone mobile cell cellphone tel mob whatsapp callback contactnumber telefon handy mobil mobiltelefon festnetz
    rufnummer telefonnummer telefonnr handynummer handynr mobilnummer mobilnr ruckrufnummer portable gsm fixe telefono movil
    celular tlf tfno fijo telefone telemovel fone fixo`,
  email: `
    email mail emailaddress mailaddress emailadresse mailadresse courriel mel electronique correo electronico correio
    eletronico`,
  name: `
    name fullname nom nomcomplet nombre nombrecompleto nome nomecompleto vollstandigername contact kontakt kontaktperson
    ansprechpartner ansprechpartnerin interlocuteur contacto contato customer kunde kundin kundenname client cliente`,
  firstName: `
    firstname givenname forename vor vorname rufname prenom primernombre nombres nombrepila primeironome`,
  lastName: `
    lastname surname familyname nach nachname familienname zuname nomfamille apellido apellidos primerapellido sobrenome
    apelido ultimonome nomefamilia`,
  country: 'country land pays pais countryregion landregion',
} as const

/** Words of headings above digits that are no phone numbers: ids, numbers of something, and dates. */
const numberedWords = new RegExp(
  '^(?:ids?|nr|no|n|num|nummer|numbers?|numeros?|code|codigo|plz|zip|cp|cep|iban|date|datum|data|fecha|jour|dia)$|' +
    '(?:nummer|nr|datum|id|code)$',
)

/** Whether a heading says that a column has ids, numbers of something, or dates: `Kundennummer`, `Order no`, `Birth date`. */
export function isNumbered(heading: string) {
  return wordsIn(heading).some((word) => numberedWords.test(word))
}

/** Returns the words of a heading, without accents, letter case and digits: `Phone2` is `phone`. */
function wordsIn(text: string) {
  const plain = fold(text.normalize('NFD').replace(/\p{M}/gu, ''))
  return plain.split(/[^\p{L}]+/u).filter((word) => word !== '')
}

/** Words that only say which number, address or name a column has, such as `work`, `main` and `privat`. */
const fillers = new Set(
  `number no nr num address work home private business office main primary secondary personal contact customer identities
  other alternative direct daytime evening day night e value
  nummer adresse arbeit zuhause haupt zentrale direkt weitere weiteres andere sonstige tagsuber abends privat geschaftlich
  dienstlich kunde kunden buro firma und der des
  travail domicile maison principal principale secondaire autre prive privee pro perso personnel professionnel jour soir n
  de du la client bureau et
  numero direccion oficina casa hogar domicilio secundario secundaria otro otra comercial laboral privado privada directo
  profesional particular trabajo del cliente y
  endereco escritorio residencial profissional outro outra pessoal direto trabalho o do da persona pessoa contacto
  contato`.split(/\s+/),
)

export type Meaning = keyof typeof wordsByMeaning

const meaningByWord = new Map(
  (Object.keys(wordsByMeaning) as Meaning[]).flatMap((meaning) =>
    Array.from(
      wordsByMeaning[meaning].matchAll(/\S+/g),
      ([word]) => [word, meaning] as const,
    ),
  ),
)

/** Returns the meaning of a heading such as `Phone (work)`, `E-Mail-Adresse` or `Telefon / Handy`; undefined if it has none. */
export function meaningOf(heading: string) {
  const withSpaces = heading.replace(/([a-z])([A-Z])/g, '$1 $2')
  return meaningOfText(heading) ?? meaningOfText(withSpaces)
}

function meaningOfText(text: string): Meaning | undefined {
  const all = wordsIn(text)
  const telling = all.filter((word) => !fillers.has(word))
  const ofJoined = meaningByWord.get(all.join('')) ?? meaningByWord.get(telling.join(''))
  if (ofJoined !== undefined) return ofJoined
  const deciding = telling.length > 0 ? telling : all
  const found = deciding.map((word) => meaningByWord.get(word))
  const [first] = found
  if (found.every((meaning) => meaning === first)) return first
  // Different parts of a name make a whole name.
  const areNames = found.every((meaning) => meaning?.toLowerCase().endsWith('name'))
  return areNames ? 'name' : undefined
}
