/**
 * The part of libphonenumber that is used: the build would keep all of a module that is imported lazily. `phone.ts` and `why.ts` load it,
 * and `program/completion.ts` for the countries.
 */
export {
  parsePhoneNumberFromString as parse,
  PhoneNumber,
  findPhoneNumbersInText,
  getCountries,
  isSupportedCountry,
} from 'libphonenumber-js/min'
