/**
 * Knows the columns of a table of people by their headings, by options, and by what their cells seem to have. A wrong column would
 * lead to the wrong people, so svc always shows the choice. Pure.
 */
import { findColumn, noColumnError, requireColumn, type Headed } from '../input/rows.ts'
import type { TableReader } from '../input/table.ts'
import { fold } from '../words.ts'
import {
  isValidPhone,
  lastDigits,
  readAddresses,
  readPhones,
  withPlainDigits,
  type Country,
} from './person-values.ts'

/** The options that choose columns by heading or by number from 1. They are added to those that the headings name. */
export type PeopleChoice = Readonly<
  Record<'phoneColumn' | 'emailColumn' | 'nameColumn' | 'countryColumn', readonly string[]>
>

/** The columns that svc adds. In exactly these letters, they are replaced when a table is matched again. */
export const matchHeadings: readonly string[] = ['contactId', 'MATCH', 'WHY', 'CANDIDATES']

/**
 * Returns the reader for a table of people. Throws a usage error if an option names a missing column, or if no column can identify a
 * contact.
 */
export function peopleReader(choice: PeopleChoice): TableReader {
  return {
    kind: 'people',
    isKnown: (heading) => meaningOf(heading) !== undefined || heading === 'contactId',
    isValue(text) {
      // An address, or enough digits for a phone number: `lastDigits` returns at most eight.
      const { length } = lastDigits(withPlainDigits(text))
      const isNumber = length === 8 && !datePattern.test(text)
      return isNumber || readAddresses(text).values.length > 0
    },
    readingOf(table) {
      return { columns: choosePeopleColumns(table, choice).read }
    },
  }
}

export type PeopleColumns = ReturnType<typeof choosePeopleColumns>

/**
 * Chooses columns by the headings, and adds those of the options. Returns their indexes: those of each kind, that of contactId, all
 * of these (`read`), and those that are neither read nor written again (`others`).
 */
export function choosePeopleColumns(table: Headed, choice: PeopleChoice) {
  const { headings } = table
  const chosen = (option: keyof PeopleChoice) =>
    choice[option].map((typed) => requireColumn(table, typed))
  const taken = (
    ['phoneColumn', 'emailColumn', 'nameColumn', 'countryColumn'] as const
  ).flatMap(chosen)
  const free = [...headings.keys()].filter(
    (column) => !taken.includes(column) && !matchHeadings.includes(headings[column] ?? ''),
  )
  const meaning = (wanted: Meaning) =>
    free.filter((column) => meaningOf(headings[column] ?? '') === wanted)
  const phone = [...meaning('phone'), ...chosen('phoneColumn')]
  const email = [...meaning('email'), ...chosen('emailColumn')]
  if (phone.length + email.length === 0)
    throw noColumnError(
      table,
      'no column with phone numbers or email addresses',
      'a name alone is never enough; name a column with --phone-column or --email-column',
    )
  // Next to only one half of a name, a whole name is the other half: next to `Prénom`, `Nom` is the last name.
  const [first, last] = [meaning('firstName'), meaning('lastName')]
  const whole = first.length > 0 && last.length > 0 ? [] : meaning('name')
  const name = [...first, ...whole, ...last, ...chosen('nameColumn')]
  const country = [...meaning('country'), ...chosen('countryColumn')]
  const contactId = findColumn(table, (heading) =>
    heading === 'contactId' ? 0 : undefined,
  )
  const read = [name, phone, email, country, contactId ?? []].flat()
  const others = free.filter((column) => !read.includes(column))
  return { phone, email, name, country, contactId, read, others }
}

/** Headings by their meaning: their letters without accents, in English, German, French, Spanish, Portuguese and Google's export. */
const headingsByMeaning = {
  phone: `
    phone phones phonenumber phonenumbers phoneno phonenr telephone telephonenumber telephoneno tel mob mobile mobilephone
    mobilenumber mobileno cell cellphone cellnumber cellphonenumber whatsapp whatsappnumber callback callbacknumber
    contactnumber contactphone customerphone workphone homephone mainphone primaryphone secondaryphone otherphone officephone
    businessphone privatephone directphone daytimephone eveningphone phonework phonehome phonemain phonemobile phoneoffice
    phoneprivate phonebusiness phonevalue identitiesphone contactidentitiesphone
    telefon telefonnummer telefonnummern telefonnr handy handynummer handynr mobil mobilnummer mobilnr mobiltelefon festnetz
    festnetznummer rufnummer ruckruf ruckrufnummer telefonprivat telefongeschaftlich telefondienstlich telefonburo telefonarbeit
    telefonfirma telefonzentrale telefonkunde telefonmobil telefonhandy telefonfestnetz telefontagsuber telefonabends telnr
    telprivat telgeschaftlich teldienstlich telburo telmobil telkunde handyprivat mobilprivat mobilgeschaftlich
    numerodetelephone numerotelephone ndetelephone notelephone numtelephone telephonemobile telephoneportable telephonefixe
    telephonedomicile telephonebureau telephonetravail telephoneprofessionnel telephonepro telephoneperso telephoneprincipal
    telephoneclient telportable telfixe telmobile teldomicile telbureau teltravail telpro telperso portable portableperso
    portablepro gsm fixe mobilefixe numerodeportable numeromobile
    telefono telefonos numerodetelefono numerotelefono telefonomovil telefonofijo telefonocelular telefonocasa telefonooficina
    telefonotrabajo telefonoparticular telefonopersonal telefonoprincipal telefonodecontacto telefonocontacto telefonocliente
    movil movilpersonal moviltrabajo movilprofesional numerodemovil celular celularpersonal numerodecelular tlf tfno fijo
    telefone telefones numerodetelefone numerotelefone telefonefixo telefonecelular telefonemovel telefonecomercial
    telefoneresidencial telefonetrabalho telefoneprincipal telefonepessoal telefonedecontato telefonedecontacto
    telefonecontato telefonecliente telemovel fone fixo celularwhatsapp telefonewhatsapp celularpessoal celularcomercial`,
  email: `
    email emails mail emailaddress emailaddresses mailaddress contactemail customeremail workemail homeemail businessemail
    personalemail privateemail primaryemail secondaryemail otheremail emailwork emailhome emailprivate emailvalue identitiesemail
    contactidentitiesemail
    emailadresse emailadressen mailadresse emailprivat emailgeschaftlich emaildienstlich emailfirma emailkunde
    courriel adresseemail adressemail adresseelectronique adressecourriel mel courrielprofessionnel courrielpersonnel
    emailprofessionnel emailpersonnel emailpro emailperso emailclient mailpro mailperso
    correo correoelectronico direcciondecorreo direcciondecorreoelectronico direcciondeemail emailpersonal emailprincipal
    emailtrabajo correopersonal emaildecontacto emailcliente
    correio correioeletronico correioelectronico enderecodeemail enderecoemail emailpessoal emailcomercial emailprofissional
    emaildecontato`,
  name: `
    name names fullname contactname customername clientname contact customer client
    vorundnachname vornameundnachname vornamenachname nachnamevorname namevorname vollstandigername kontakt kontaktperson
    kontaktname ansprechpartner ansprechpartnerin kunde kundin kundenname
    nom nomcomplet nometprenom prenometnom nomprenom prenomnom nomduclient nomclient interlocuteur
    nombre nombrecompleto nombreyapellido nombreyapellidos nombresyapellidos nombreapellidos apellidosynombre nombredelcliente
    nombrecliente cliente contacto
    nome nomecompleto nomeesobrenome nomeeapelido nomedocliente nomecliente nomedocontato contato`,
  firstName: `
    firstname givenname forename vorname rufname prenom prenoms nombres nombredepila primernombre primeironome`,
  lastName: `
    lastname surname familyname nachname familienname zuname nomdefamille apellido apellidos primerapellido sobrenome
    apelido apelidos ultimonome nomedefamilia`,
  country: 'country countrycode countryregion land landregion pays pais',
} as const

type Meaning = keyof typeof headingsByMeaning

const meaningByHeading = new Map(
  Object.entries(headingsByMeaning).flatMap(([meaning, text]) =>
    Array.from(
      text.matchAll(/\w+/g),
      ([heading]) => [heading, meaning as Meaning] as const,
    ),
  ),
)

const withoutAccents = (heading: string) =>
  fold(heading.normalize('NFD').replace(/\p{M}/gu, ''))

/** Returns the meaning of a heading such as `Phone (work)`, `E-Mail-Adresse` or `Telefon / Handy`; undefined if it has none. */
export function meaningOf(heading: string) {
  return meaningByHeading.get(withoutAccents(heading).replace(/[^\p{L}]/gu, ''))
}

/** Words of headings above digits that are no phone numbers: ids, numbers of something, and dates. */
const numberedWords = new RegExp(
  '(?<!\\p{L})(?:ids?|nr|no|n|num|nummer|numbers?|numeros?|code|codigo|plz|zip|cp|cep|iban|date|datum|data|fecha|jour|dia)(?!\\p{L})|' +
    '(?:nummer|nr|datum|id|code)(?!\\p{L})',
  'u',
)

/** Whether a heading says that a column has ids, numbers of something, or dates: `Kundennummer`, `Order no`, `Birth date`. */
export function isNumbered(heading: string) {
  return numberedWords.test(withoutAccents(heading))
}

/** Whether a cell is empty, or has only a word or sign that says so. In svc's own csv, an apostrophe stands before a `-`. */
export function isEmptyCell(text: string) {
  return /^\s*(?:'?[-–—?]|n\/a|none|unknown)?\s*$/i.test(text)
}

/** A date, perhaps with a time. Its digits could pass for a phone number. */
const datePattern = /^\s*\d{1,4}[./-]\d{1,2}[./-]\d{1,4}(?:[ T]|$)/

/** Returns the kind of values that a cell surely has: addresses, or numbers that exist in their country. */
export function kindOfCell(text: string, country: Country | undefined) {
  if (readAddresses(text).problem === undefined) return 'email'
  if (datePattern.test(text)) return undefined
  const { values, problem } = readPhones(text, country)
  const areValid = values.every(({ shown }) => isValidPhone(shown))
  return problem === undefined && areValid ? 'phone' : undefined
}
