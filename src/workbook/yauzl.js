/** In JavaScript, with types beside it: the package has none. */
export { fromBufferPromise, openPromise, parseExtraFields, validateFileName } from 'yauzl'
