/** In JavaScript, with types beside it: those of the package contradict each other when optional properties are exact. */
export { SaxesParser } from 'saxes'
