import { describe, expect, it } from 'vitest';
import { csv, listAsCsv } from '../src/lib/csv';
import { pictureOf } from '../src/lib/picture';
import { filterOf, filterParams, href, parse } from '../src/lib/router';
import { nextSort, sortState } from '../src/lib/sorting';

describe('CSV', () => {
  it('quotes what would break a line or a field', () => {
    expect(csv([['a,b', 'say "hi"', 'two\nlines', ' x']])).toBe(
      '"a,b","say ""hi""","two\nlines"," x"\r\n',
    );
  });

  it('runs nothing in a spreadsheet, and leaves numbers as they are', () => {
    for (const text of ['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', '\n=1', '＝1', '＠x'])
      expect(csv([[text]]).replace(/^"/, '')[0]).toBe("'");
    expect(csv([[-1.5, 0, null, undefined, Infinity, 1e-9, 'a-b']])).toBe('-1.5,0,,,,1e-9,a-b\r\n');
  });

  it('of a list has a column for each criterion', () => {
    const items = [
      {
        ...{ rank: 1, item: '=x', title: 'X', score: 2, linked: true, match: 97.5 },
        predicted: { taste: 4.2 },
        by_criterion: { taste: -0.5 },
      },
    ];
    const list = { user: 'ann', basis: 'ratings' as const, version: 1, items, cursor: null };
    const criteria = ['overall', 'taste'].map((name) => ({ name, min: 1, max: 5 }));
    expect(listAsCsv(list, criteria, 'ann')).toBe(
      'user,rank,item,title,score,match,predicted overall,predicted taste,from overall,from taste' +
        "\r\nann,1,'=x,X,2,97.5,,4.2,,-0.5\r\n",
    );
    const turned = { ...list, items: items.map((row) => ({ ...row, dialled: 0.25 })) };
    expect(listAsCsv(turned, criteria, 'ann')).toMatch(
      /from taste,from what was turned\r\nann.*,-0\.5,0\.25\r\n$/,
    );
  });
});

describe('a picture', () => {
  const at = (image: unknown) => pictureOf({ image }, 'http://127.0.0.1:8080/#/items');

  it('is shown from this server and by https', () => {
    expect(at('/favicon.svg')).toBe('http://127.0.0.1:8080/favicon.svg');
    expect(at('favicon.svg')).toBe('http://127.0.0.1:8080/favicon.svg');
    expect(at('https://pictures.example/a b.png')).toBe('https://pictures.example/a%20b.png');
  });

  it('is nothing else', () => {
    for (const wrong of [
      'javascript:alert(1)',
      ' javascript:alert(1)',
      'java\nscript:alert(1)',
      'data:image/svg+xml,<svg onload=alert(1)>',
      'data:image/png;base64,AAAA',
      'blob:https://pictures.example/x',
      'blob:http://127.0.0.1:8080/x',
      'file:///etc/passwd',
      'http://pictures.example/a.png',
      'http://127.0.0.1:9090/a.png',
      '//pictures.example/a.png',
      'https://user:secret@pictures.example/a.png',
      'https://',
      '',
      ' ',
      7,
      null,
      ['https://pictures.example/a.png'],
    ])
      expect(at(wrong), String(wrong)).toBeUndefined();
  });
});

describe('orders', () => {
  it('go from the best down, turn round, and end', () => {
    const steps = (by: string) => {
      const first = nextSort(undefined, by);
      const second = nextSort(first, by);
      return [first, second, nextSort(second, by)];
    };
    expect(steps('title')).toEqual(['title', '-title', undefined]);
    expect(steps('mean:taste')).toEqual(['-mean:taste', 'mean:taste', undefined]);
    expect(nextSort('title', 'raters')).toBe('-raters');
  });

  it('are told to screen readers', () => {
    expect(sortState('-raters', 'raters')).toBe('descending');
    expect(sortState('raters', 'raters')).toBe('ascending');
    expect(sortState('title', 'raters')).toBeUndefined();
  });
});

describe('filters', () => {
  it('travel in the address, whatever they are called', () => {
    const filter = { style: 'stout', 'a.b=c&': '50 % #1' };
    expect(filterOf(parse(href('items', filterParams(filter))).params)).toEqual(filter);
  });
});
