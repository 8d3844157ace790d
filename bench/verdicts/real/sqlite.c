// sqlite: runs a prepared query for one row of a hundred.
#include <sqlite3.h>

#include "work.h"

static sqlite3 *database;
static sqlite3_stmt *query;

static int look_up(int key);

// Definitions, in any order.

static int look_up(int key)
{
    sqlite3_reset(query);
    sqlite3_bind_int(query, 1, key);
    return sqlite3_step(query) == SQLITE_ROW ? sqlite3_column_int(query, 0) : -1;
}

void prepare(void)
{
    const char *rows =
        "create table t(k integer primary key, v integer);"
        "with recursive n(i) as (select 0 union all select i + 1 from n where i < 99)"
        "insert into t select i, i * i from n;";
    EXPECT(sqlite3_open(":memory:", &database) == SQLITE_OK);
    EXPECT(sqlite3_exec(database, rows, NULL, NULL, NULL) == SQLITE_OK);
    EXPECT(!sqlite3_prepare_v2(database, "select v from t where k = ?", -1, &query, NULL));
    EXPECT(look_up(7) == 49);
}

void work(unsigned long times)
{
    for (; times > 0; times--)
        KEEP(look_up(42));
}
