/**
 * The packages that read workbooks: `zip.ts` takes yauzl from here, `xml.ts` saxes. In JavaScript, with types beside it:
 * yauzl has none, and those of saxes contradict each other when optional properties are exact.
 */
export { SaxesParser } from 'saxes'
export { fromBufferPromise, parseExtraFields, validateFileName } from 'yauzl'
