/** Countries, which decide what a phone number without `+` means. They are typed or in a table: as two letters, or as a name. */
import { getCountries, isSupportedCountry, type CountryCode } from 'libphonenumber-js/min'
import { usageError } from '../errors.ts'
import { fold } from '../words.ts'

/** A country by its two letters, such as `DE`. */
export type Country = CountryCode

/** The languages in which a country can be named. */
const languages = ['en', 'de', 'fr', 'es', 'pt']

/** The countries by their folded names. Made when the first name is read. */
let countriesByName: ReadonlyMap<string, Country> | undefined

/** Returns the country of two letters such as `de`, or of a name such as `Deutschland`; undefined for any other text. */
export function countryOf(text: string): Country | undefined {
  const code = text.trim().toUpperCase()
  if (isSupportedCountry(code)) return code
  countriesByName ??= nameCountries()
  return countriesByName.get(fold(text))
}

function nameCountries() {
  const countries = new Map<string, Country>()
  for (const language of languages)
    for (const style of ['long', 'short'] as const) {
      const names = new Intl.DisplayNames(language, { type: 'region', style })
      for (const country of getCountries())
        countries.set(fold(names.of(country) ?? ''), country)
    }
  return countries
}

/** Returns the country of --country; undefined without --country. Throws a usage error for a country that does not exist. */
export function requireCountry(text: string | undefined) {
  if (text === undefined) return undefined
  const country = countryOf(text)
  if (country !== undefined) return country
  throw usageError(
    `there is no country "${text}"`,
    'use its two letters, for example --country DE',
  )
}
