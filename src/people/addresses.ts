/** Reads email addresses, so that they can be compared: without letter case, and with domains in ASCII. */
import { domainToASCII } from 'node:url'
import { visibleText } from '../words.ts'
import type { Reading, Value } from './reading.ts'

/** The characters that can stand before and after an address, for a class of a regular expression. */
const separators = '\\s<>()\\[\\]"\'`*“”„‚‘’«»‹›,;:|'
const localPart = "[\\p{L}\\p{N}_](?:[\\p{L}\\p{N}._%&'+-]*[\\p{L}\\p{N}_+-])?"
const domain = '[\\p{L}\\p{N}-]+(?:\\.[\\p{L}\\p{N}-]+)+'
const addressPattern = new RegExp(
  `(?<=^|[${separators}])${localPart}@${domain}(?=$|[${separators}.!?…])`,
  'gu',
)

/** An ordinary address alone, as most are. */
const plainAddress = /^[a-z0-9][\w.%+-]*@[a-z0-9-]+(?:\.[a-z0-9-]+)+$/i

/** Returns the email addresses in a text. An @ that is not part of an address is not understood. */
export function readAddresses(text: string): Reading {
  if (plainAddress.test(text)) return { values: [addressValue(text.toLowerCase())] }
  const plain = visibleText(text).toLowerCase()
  const values = (plain.match(addressPattern) ?? []).map(addressValue)
  if (values.length === 0) return { values, problem: 'noAddress' }
  const hasOtherSign = plain.replace(addressPattern, '').includes('@')
  return { values, problem: hasOtherSign ? 'extraText' : undefined }
}

/** A domain with a character that is not printable ASCII (space to ~). */
const internationalDomain = /(?<=@)[^@]*[^ -~@][^@]*$/

function addressValue(address: string): Value {
  // A domain that cannot exist has no spelling in ASCII.
  const ascii = address.replace(internationalDomain, (name) => domainToASCII(name) || name)
  const exact = `email ${ascii}`
  return { kind: 'email', shown: address, exact, near: exact }
}
