/** The part of libphonenumber that `phone.ts` and `matching.ts` load: the build would keep all of a module that is imported lazily. */
export {
  parsePhoneNumberFromString as parse,
  PhoneNumber,
  findPhoneNumbersInText,
  isSupportedCountry,
} from 'libphonenumber-js/min'
