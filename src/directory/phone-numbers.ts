/** What is used of libphonenumber: of a module that is imported lazily, the build would keep all. */
export {
  parsePhoneNumberFromString as parse,
  findPhoneNumbersInText,
  getCountries,
  isSupportedCountry,
} from 'libphonenumber-js/min'
