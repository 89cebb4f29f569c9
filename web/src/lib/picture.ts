// The attribute `image` of an item may hold the address of a picture. Whoever may write items writes
// it, so only what can be nothing but a picture becomes one: an https address, or one of this server.
// The content policy of the server says the same.
export function pictureOf(
  attributes: Record<string, unknown>,
  page: string = location.href,
): string | undefined {
  const given = attributes['image'];
  if (typeof given !== 'string' || given.trim() === '') return undefined;
  try {
    const { origin } = new URL(page);
    const url = new URL(given, `${origin}/`);
    if (url.username || url.password) return undefined;
    // A blob: address has the origin of the page too.
    const own = url.origin === origin && url.protocol === 'http:';
    return own || url.protocol === 'https:' ? url.href : undefined;
  } catch {
    return undefined;
  }
}
