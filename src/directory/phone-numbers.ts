/**
 * The part of libphonenumber that is used, and the names of its countries: the build would keep all of a module that is imported lazily.
 * `phone.ts`, `sought.ts` and `matching.ts` load it, and `program/completion.ts` for the countries.
 */
import { getCountries, type CountryCode as Country } from 'libphonenumber-js/min'

export {
  parsePhoneNumberFromString as parse,
  PhoneNumber,
  findPhoneNumbersInText,
  getCountries,
  isSupportedCountry,
} from 'libphonenumber-js/min'

/**
 * The country that a cell of a table names, by the two letters of ISO 3166-1, or in English, German, French, Spanish or Portuguese;
 * undefined for any other text.
 */
export type ReadCountry = (text: string) => Country | undefined

const languages = ['en', 'de', 'fr', 'es', 'pt']

/** Names come from Node's own data, in their long and short forms (`Vereinigte Staaten`, `USA`). */
export function countryReader(): ReadCountry {
  const countries = getCountries()
  const named = new Map<string, Country>(countries.map((code) => [plainName(code), code]))
  const all = languages.flatMap((language) => [
    new Intl.DisplayNames(language, { type: 'region', style: 'long', fallback: 'none' }),
    new Intl.DisplayNames(language, { type: 'region', style: 'short', fallback: 'none' }),
  ])
  for (const names of all) {
    for (const code of countries) {
      const name = plainName(names.of(code) ?? '')
      if (name !== '' && !named.has(name)) named.set(name, code)
    }
  }
  return (text) => named.get(plainName(text))
}

/** Letters alone, without accents and case. */
function plainName(text: string): string {
  return text
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .replace(/[^\p{L}]+/gu, ' ')
    .trim()
    .toLowerCase()
}
