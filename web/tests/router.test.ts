import { describe, expect, it } from 'vitest';
import { href, parse, weightParams, weightsOf } from '../src/lib/router';

describe('addresses', () => {
  it('bring back any id and any criterion name', () => {
    for (const id of ['a/b', 'spaces in it', 'ü&=?#%', '日本', '100 %']) {
      const { page, params } = parse(href('why', { user: id, item: `${id}!`, [`w.${id}`]: '2' }));
      expect(page).toBe('why');
      expect(params.get('user')).toBe(id);
      expect(params.get('item')).toBe(`${id}!`);
      expect(weightsOf(params)).toEqual({ [id]: 2 });
    }
  });

  it('fall back to the first page', () => {
    for (const hash of ['', '#', '#/', '#/nowhere', '#x'])
      expect(parse(hash).page).toBe('recommend');
  });

  it('leave out what is not set', () => {
    expect(href('items', { q: '', id: undefined })).toBe('#/items');
  });
});

describe('weights', () => {
  it('of 1 are not written', () => {
    expect(weightParams({ taste: 2, aroma: 1, palate: 0 })).toEqual({
      'w.taste': '2',
      'w.palate': '0',
    });
  });

  it('that a server would refuse are passed over', () => {
    const params = new URLSearchParams('w.a=-1&w.b=x&w.c=&w.d=1e999&w.e=0.5');
    expect(weightsOf(params)).toEqual({ e: 0.5 });
  });
});
