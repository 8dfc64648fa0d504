/** Finds the meaning of a heading by its words in English, German, French, Spanish and Portuguese. Pure. */
import { fold } from '../words.ts'

/** The words of each meaning, without accents. `firstname` also stands for `first name`. */
const words = {
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
} as const

/** Words that only say which number, address or name it is, such as `work`, `main` and `privat`. */
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

export type Meaning = keyof typeof words

const meanings = new Map(
  (Object.keys(words) as Meaning[]).flatMap((meaning) =>
    Array.from(words[meaning].matchAll(/\S+/g), ([word]) => [word, meaning] as const),
  ),
)

/** Returns the meaning of a heading such as `Phone (work)`, `E-Mail-Adresse` or `Telefon / Handy`; undefined if it has none. */
export function meaningOf(heading: string) {
  const withSpaces = heading.replace(/([a-z])([A-Z])/g, '$1 $2')
  return meaningOfText(heading) ?? meaningOfText(withSpaces)
}

function meaningOfText(text: string): Meaning | undefined {
  // Without accents, letter case and numbers: `Phone2` is `phone`.
  const plain = fold(text.normalize('NFD').replace(/\p{M}/gu, ''))
  const all = plain.split(/[^\p{L}]+/u).filter((word) => word !== '')
  const telling = all.filter((word) => !fillers.has(word))
  const joined = meanings.get(all.join('')) ?? meanings.get(telling.join(''))
  if (joined !== undefined) return joined
  const found = (telling.length > 0 ? telling : all).map((word) => meanings.get(word))
  const [first] = found
  if (found.every((meaning) => meaning === first)) return first
  // Different parts of a name make a whole name.
  const isName = found.every((meaning) => meaning?.toLowerCase().endsWith('name'))
  return isName ? 'name' : undefined
}
