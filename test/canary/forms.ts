/** The forms in which a secret may turn up, and the search for them. */

const alone = (text: string): string => JSON.stringify(text).slice(1, -1)
const perByte = (text: string, write: (byte: number) => string): string =>
  [...Buffer.from(text)].map(write).join('')
const hexOf = (byte: number): string => byte.toString(16).padStart(2, '0')

/** Base64 of the secret when `before` bytes stand in front of it: the digits that it alone decides. */
function base64Inside(secret: string, before: number): string {
  const bytes = Buffer.from(secret)
  const text = Buffer.concat([Buffer.alloc(before), bytes])
    .toString('base64')
    .replace(/=+$/, '')
  const first = Math.ceil((before * 8) / 6)
  const last = Math.floor(((before + bytes.length) * 8) / 6)
  return text.slice(first, last)
}

/** By name, each form that is looked for. A form that is also another is listed once more, which does no harm. */
export function formsOf(secret: string): Map<string, string> {
  const base64 = [0, 1, 2].map((before) => base64Inside(secret, before))
  const url = encodeURIComponent(secret)
  const hex = perByte(secret, hexOf)
  return new Map([
    ['as it is', secret],
    ['JSON', alone(secret)],
    ['JSON in JSON', alone(alone(secret))],
    [
      'JSON with escapes only',
      secret.replace(/[^]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
    ],
    ['URL', url],
    ['URL in lower case', url.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase())],
    ['form', new URLSearchParams([['', secret]]).toString().slice(1)],
    ['URL, every byte', perByte(secret, (byte) => `%${hexOf(byte).toUpperCase()}`)],
    [
      'HTML',
      secret
        .replaceAll('&', '&amp;')
        .replaceAll('<', '&lt;')
        .replaceAll('"', '&quot;')
        .replaceAll("'", '&#39;'),
    ],
    ['csv', secret.replaceAll('"', '""')],
    ['shell', secret.replaceAll("'", String.raw`'\''`)],
    ...base64.map((text, before): [string, string] => [`base64 after ${before} bytes`, text]),
    ...base64.map((text, before): [string, string] => [
      `base64url after ${before} bytes`,
      text.replaceAll('+', '-').replaceAll('/', '_'),
    ]),
    ['hex', hex],
    ['hex in capitals', hex.toUpperCase()],
  ])
}

const wanted = new Map<string, readonly (readonly [name: string, bytes: string])[]>()

/** Which forms of the secret stand in these bytes, also when lines were broken within them. */
export function findSecret(secret: string, bytes: Uint8Array | string): string[] {
  const text = Buffer.from(bytes as string).toString('latin1')
  const unbroken = text.replace(/\s+/g, '')
  const forms =
    wanted.get(secret) ??
    Array.from(
      formsOf(secret),
      ([name, form]) => [name, Buffer.from(form).toString('latin1')] as const,
    )
  wanted.set(secret, forms)
  return forms
    .filter(([, form]) => text.includes(form) || unbroken.includes(form))
    .map(([name]) => name)
}
