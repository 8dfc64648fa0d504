/** Countries as tables name them: by the two letters of ISO 3166-1, or in English, German, French, Spanish or Portuguese. */
import type { Country } from './phone.ts'

/** The country that a text names; undefined for any other text. */
export type ReadCountry = (text: string) => Country | undefined

const languages = ['en', 'de', 'fr', 'es', 'pt']

/** Names come from Node's own data, in their long and short forms (`Vereinigte Staaten`, `USA`). */
export async function countryReader(): Promise<ReadCountry> {
  const { getCountries } = await import('./phone-numbers.ts')
  const countries = getCountries()
  const named = new Map<string, Country>(countries.map((code) => [plain(code), code]))
  const all = languages.flatMap((language) => [
    new Intl.DisplayNames(language, { type: 'region', style: 'long', fallback: 'none' }),
    new Intl.DisplayNames(language, { type: 'region', style: 'short', fallback: 'none' }),
  ])
  for (const names of all) {
    for (const code of countries) {
      const name = plain(names.of(code) ?? '')
      if (name !== '' && !named.has(name)) named.set(name, code)
    }
  }
  return (text) => named.get(plain(text))
}

/** Letters alone, without accents and case. */
function plain(text: string): string {
  return text
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .replace(/[^\p{L}]+/gu, ' ')
    .trim()
    .toLowerCase()
}
