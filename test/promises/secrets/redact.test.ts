import { describe, expect, it } from 'vitest'
import { Redactor } from '../../../src/safe-text.ts'
import { answering, http, openClient, secret, tell } from '../../support/loopback.ts'

const value = 'k9/+"q\\uote"…é'

function hiding(...secrets: readonly string[]): Redactor {
  const redactor = new Redactor()
  for (const each of secrets) redactor.addSecret(each)
  return redactor
}

describe('a secret', () => {
  it('is hidden as it is and in JSON, more than once', () => {
    const clean = hiding(value).hide(`${value} ${JSON.stringify({ a: value })} ${value}`)
    expect(clean).toBe('[hidden] {"a":"[hidden]"} [hidden]')
  })

  it('is hidden in texts and names of a document, which stays what it is otherwise', () => {
    const document = { [value]: [1, null, `x${value}`, { deep: value }] }
    const hidden = { '[hidden]': [1, null, 'x[hidden]', { deep: '[hidden]' }] }
    expect(hiding(value).hide(document)).toEqual(hidden)
  })

  it('is hidden where it was cut: before an ellipsis, from 4 characters on', () => {
    const secret = 'sk_0123456789abcdef'
    for (let length = 4; length < secret.length; length += 1)
      expect(hiding(secret).hide(`no list "x ${secret.slice(0, length)}…", a…`)).toBe(
        'no list "x [hidden]…", a…',
      )
    expect(hiding(secret).hide('sk_…')).toBe('sk_…')
  })

  it('that is too short hides no words, and its characters mean themselves', () => {
    expect(hiding('', 'ordinar').hide('an ordinary word')).toBe('an ordinary word')
    expect(hiding('a.c*(x)[y]$^|').hide('abc a.c*(x)[y]$^| $&')).toBe('abc [hidden] $&')
  })
})

describe('-v and errors', () => {
  it.each([16_384 - 10, 16_384 - secret.length + 1])(
    'hold no half of a secret where a long message is cut: from its character %i on',
    async (at) => {
      const message = `${'x'.repeat(at)}${secret}${'y'.repeat(100)}`
      const server = await answering((socket) =>
        socket.write(http(400, JSON.stringify({ code: 1, message }))),
      )
      const { results, error } = await tell(openClient(server.baseUrl), 'read')
      const told = results.map((result) => 'message' in result && result.message)
      for (const text of [error?.message, ...told]) expect(text).toMatch(/^x+\[hidden\]?y*$/)
    },
  )
})
