// Replaces the password that a new server comes with, on the system database. Parameters: old, new. No rows.
ALTER CURRENT USER SET PASSWORD FROM $old TO $new
