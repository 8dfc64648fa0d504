/**
 * The part of undici that svc imports. undici describes itself only as a whole, whose import costs half of
 * what starting Node costs.
 */
declare module 'undici/lib/dispatcher/client.js' {
  export { Client as default } from 'undici'
}
