/** Secrets by value: whatever is written to stderr goes through here, so that no message can carry one. */

export interface Redactor {
  /** From now on this value is hidden in each of its usual forms. */
  hide(secret: string): void
  apply(text: string): string
}

const mask = '[hidden]'

export function createRedactor(): Redactor {
  const forms = new Set<string>()
  let ordered: string[] = []
  return {
    hide(secret) {
      if (secret === '') return
      const bytes = Buffer.from(secret, 'utf8')
      const encoded = [
        secret,
        encodeURIComponent(secret),
        JSON.stringify(secret).slice(1, -1),
        bytes.toString('base64').replace(/=+$/, ''),
        bytes.toString('base64url'),
        bytes.toString('hex'),
        bytes.toString('hex').toUpperCase(),
      ]
      for (const form of encoded) forms.add(form)
      // The longest first, so that a form inside another leaves nothing over.
      ordered = [...forms].sort((a, b) => b.length - a.length)
    },
    apply(text) {
      let result = text
      for (const form of ordered) {
        if (result.includes(form)) result = result.replaceAll(form, mask)
      }
      return result
    },
  }
}
