/** The meaning of a heading, by its words. Pure. */
import { fold } from '../words.ts'

/** Headings in English, German, French, Spanish and Portuguese, without accents. */
const phrases = {
  phone: `
    phone, telephone, mobile, cell, cellphone, tel, mobile phone, cell phone, mob, whatsapp, telefon, handy, mobil,
    mobiltelefon, festnetz, rufnummer, telefonnummer, telefonnr, handynummer, handynr, mobilnummer, mobilnr,
    portable, telephone portable, telephone mobile, gsm, telefono, movil, celular, telefono movil, telefono celular,
    tlf, tfno, telefone, telemovel, telefone celular, fone, contact number, callback number, ruckrufnummer`,
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
/** Words that say whose or which number, address or name it is: `work`, `main`, `privat`. */
const fillers = new Set(
  `number no nr num address work home private business office main primary secondary personal contact customer identities
  other alternative direct daytime evening day night
  arbeit zuhause haupt zentrale direkt weitere weiteres andere sonstige tagsuber abends
  travail domicile maison principal principale secondaire autre prive privee direct pro perso jour soir
  oficina casa hogar domicilio secundario secundaria otro otra comercial laboral privado privada directo profesional
  escritorio residencial profissional outro outra pessoal direto
  nummer adresse privat geschaftlich dienstlich numero n de du personnel professionnel fixe fijo fixo particular trabajo
  trabalho pessoal direccion endereco o value kunde kunden client cliente buro firma bureau`.split(
    /\s+/,
  ),
)

export const nameMeanings = [
  'name',
  'firstName',
  'lastName',
  'contact',
  'customer',
] as const
export type NameMeaning = (typeof nameMeanings)[number]

const meanings = new Map(
  (['phone', 'email', ...nameMeanings] as const).flatMap((meaning) =>
    listOf(phrases[meaning]).map((phrase) => [phrase, meaning] as const),
  ),
)

function listOf(text: string) {
  return text.split(',').map((phrase) => phrase.trim().replace(/\s+/g, ' '))
}

/** The meaning of a heading such as `Phone (work)`, `E-Mail-Adresse` or `N° de téléphone 2`. Undefined if it has none. */
export function meaningOf(heading: string) {
  const words = wordsOf(heading)
  const whole = words.join(' ')
  const withoutFillers = words.filter((word) => !fillers.has(word)).join(' ')
  return meanings.get(whole) ?? meanings.get(withoutFillers) ?? meanings.get(words.join(''))
}

/** The words of a heading, without accents, letter case and numbers: `Phone2` is `phone`. */
function wordsOf(heading: string) {
  const plain = fold(
    heading
      .replace(/([a-z])([A-Z])/g, '$1 $2')
      .normalize('NFD')
      .replace(/\p{M}/gu, ''),
  )
  return plain
    .replace(/(\p{L})\d+(?=\P{L}|$)/gu, '$1 ')
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => !/^\d*$/.test(word))
}
